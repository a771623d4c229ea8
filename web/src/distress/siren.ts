// Siren is the sound of an alarm. It loops by itself, because browsers slow down the timers of pages that nobody looks at.

/** Tone is what is heard: an alarm is loud and goes on, a test is a soft note now and then. */
export type Tone = "none" | "test" | "alarm";

interface Note {
  from: number; // seconds
  to: number;
  hertz: number;
}

const tones: Record<Exclude<Tone, "none">, { length: number; loud: number; notes: Note[] }> = {
  alarm: {
    length: 1.2,
    loud: 0.3,
    notes: [
      { from: 0, to: 0.45, hertz: 960 },
      { from: 0.5, to: 0.95, hertz: 720 },
    ],
  },
  test: { length: 20, loud: 0.08, notes: [{ from: 0, to: 0.3, hertz: 520 }] },
};

const edge = 0.01; // seconds in which a note swells and ends, so that it does not click

export class Siren {
  tone: Tone = "none";
  private context?: AudioContext;
  private source?: AudioBufferSourceNode;

  /** changed is told when the browser begins or ceases to let sound through. */
  constructor(private readonly changed: () => void) {
    const wake = (): void => void this.context?.resume().catch(() => undefined);
    addEventListener("pointerdown", wake, true);
    addEventListener("keydown", wake, true);
  }

  /** muted tells that there should be a sound, and that the browser keeps it off. */
  get muted(): boolean {
    return this.tone !== "none" && this.context?.state !== "running";
  }

  /** play goes over to a tone. */
  play(tone: Tone): void {
    if (tone === this.tone) return;
    this.tone = tone;
    this.source?.stop();
    this.source = undefined;
    if (tone === "none" || typeof AudioContext === "undefined") return;
    if (!this.context) {
      this.context = new AudioContext();
      this.context.addEventListener("statechange", this.changed);
    }
    this.source = this.context.createBufferSource();
    this.source.buffer = bufferOf(this.context, tones[tone]);
    this.source.loop = true;
    this.source.connect(this.context.destination);
    this.source.start();
  }
}

function bufferOf(context: AudioContext, { length, loud, notes }: (typeof tones)["alarm"]): AudioBuffer {
  const rate = context.sampleRate,
    buffer = context.createBuffer(1, Math.round(length * rate), rate),
    samples = buffer.getChannelData(0);
  for (const { from, to, hertz } of notes)
    for (let i = Math.round(from * rate); i < to * rate; i++) {
      const at = i / rate,
        a = 2 * Math.PI * hertz * at;
      samples[i] = loud * Math.min(1, (at - from) / edge, (to - at) / edge) * (Math.sin(a) + Math.sin(3 * a) / 3);
    }
  return buffer;
}
