// The sounds of the page. A siren loops by itself, because browsers slow down the timers of pages that nobody looks at. A chime rings once.

/** Tone is what is heard: an alarm of distress is loud and goes on, that of a watchdog is slower, a test is a soft note now and then. */
export type Tone = "none" | "test" | "alarm" | "watch";

interface Note {
  from: number; // seconds
  to: number;
  hertz: number;
}

/** Ring is what a chime rings: for a warning, or for an alert. */
export type Ring = "warning" | "alert";

const tones: Record<Exclude<Tone, "none"> | Ring, { length: number; loud: number; notes: Note[] }> = {
  alarm: {
    length: 1.2,
    loud: 0.3,
    notes: [
      { from: 0, to: 0.45, hertz: 960 },
      { from: 0.5, to: 0.95, hertz: 720 },
    ],
  },
  watch: {
    length: 2.6,
    loud: 0.22,
    notes: [
      { from: 0, to: 0.3, hertz: 620 },
      { from: 0.4, to: 0.7, hertz: 820 },
      { from: 0.8, to: 1.2, hertz: 820 },
    ],
  },
  test: { length: 20, loud: 0.08, notes: [{ from: 0, to: 0.3, hertz: 520 }] },
  warning: { length: 0.5, loud: 0.12, notes: [{ from: 0, to: 0.4, hertz: 620 }] },
  alert: {
    length: 1.3,
    loud: 0.2,
    notes: [
      { from: 0, to: 0.3, hertz: 620 },
      { from: 0.4, to: 0.7, hertz: 820 },
      { from: 0.8, to: 1.2, hertz: 820 },
    ],
  },
};

const patience = 1000; // milliseconds in which a browser lets sound through, if it does
const edge = 0.01; // seconds in which a note swells and ends, so that it does not click

// Speaker is the way to the speakers, which the browser may keep shut until the user does something.
class Speaker {
  private context?: AudioContext;

  /** changed is told when the browser begins or ceases to let sound through. */
  constructor(private readonly changed: () => void) {
    const wake = (): void => void this.context?.resume().catch(() => undefined);
    addEventListener("pointerdown", wake, true);
    addEventListener("keydown", wake, true);
  }

  /** open tells that sound gets through. */
  get open(): boolean {
    return this.context?.state === "running";
  }

  /** start plays a tone, once or for ever; undefined where there is no sound at all. */
  start(tone: keyof typeof tones, loop: boolean): AudioBufferSourceNode | undefined {
    if (typeof AudioContext === "undefined") return undefined;
    if (!this.context) {
      this.context = new AudioContext();
      this.context.addEventListener("statechange", this.changed);
    }
    const source = this.context.createBufferSource();
    source.buffer = bufferOf(this.context, tones[tone]);
    source.loop = loop;
    source.connect(this.context.destination);
    source.start();
    return source;
  }
}

export class Siren {
  tone: Tone = "none";
  private readonly speaker: Speaker;
  private source?: AudioBufferSourceNode;

  /** changed is told when the browser begins or ceases to let sound through. */
  constructor(changed: () => void) {
    this.speaker = new Speaker(changed);
  }

  /** muted tells that there should be a sound, and that the browser keeps it off. */
  get muted(): boolean {
    return this.tone !== "none" && !this.speaker.open;
  }

  /** play goes over to a tone. */
  play(tone: Tone): void {
    if (tone === this.tone) return;
    this.tone = tone;
    this.source?.stop();
    this.source = tone === "none" ? undefined : this.speaker.start(tone, true);
  }
}

export class Chime {
  /** rung counts how often it rang. */
  rung = 0;
  private readonly speaker: Speaker;

  /** changed is told when the browser begins or ceases to let sound through. */
  constructor(changed: () => void) {
    this.speaker = new Speaker(changed);
  }

  /** muted tells that it rang, and that the browser keeps sound off. */
  get muted(): boolean {
    return this.rung > 0 && !this.speaker.open;
  }

  /** ring rings once. What the browser kept off is not made up for later. */
  ring(what: Ring): void {
    this.rung++;
    const source = this.speaker.start(what, false);
    setTimeout(() => !this.speaker.open && source?.stop(), patience);
  }
}

function bufferOf(context: AudioContext, { length, loud, notes }: (typeof tones)[keyof typeof tones]): AudioBuffer {
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
