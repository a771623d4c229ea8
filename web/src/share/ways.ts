// The ways of a tab to the hub: a shared worker, or, in browsers without one, the tab that leads (channel.ts).
import { Channel } from "./channel";
import type { Asked, Told, Way } from "./messages";
import SharedHub from "./worker?sharedworker";

const dead = 10; // seconds of a worker without an answer; its script may be slow to come

/** Ways takes the shared worker while that can be had, else the channel. */
export class Ways implements Way {
  private way: Way;
  private answered = false;

  constructor(
    private readonly address: string,
    private readonly hear: (message: Told) => void,
  ) {
    this.way = this.worker() ?? this.channel();
  }

  send(message: Asked): void {
    this.way.send(message);
  }

  missed(seconds: number): void {
    this.way.missed(seconds);
  }

  close(): void {
    this.way.close();
  }

  // worker is the way over the shared worker; none where there is no such thing, or it may not be used.
  private worker(): Way | undefined {
    if (typeof SharedWorker === "undefined") return undefined;
    try {
      const shared = new SharedHub({ name: this.address });
      const way: Way = {
        send: (message) => shared.port.postMessage(message),
        missed: (seconds) => {
          if (seconds >= dead) this.another();
        },
        close: () => {
          shared.port.postMessage({ kind: "leave" } satisfies Asked);
          shared.port.close();
        },
      };
      shared.onerror = () => {
        if (this.way === way && !this.answered) this.another();
      };
      shared.port.onmessage = ({ data }: MessageEvent<Told>) => {
        if (this.way !== way) return;
        this.answered = true;
        this.hear(data);
      };
      return way;
    } catch {
      return undefined;
    }
  }

  private channel(): Way {
    return new Channel(this.address, this.hear);
  }

  // another takes another worker for one that has died, and the channel where there never was one.
  private another(): void {
    this.way.close();
    this.way = (this.answered && this.worker()) || this.channel();
    this.answered = false;
    this.hear({ kind: "moved" });
  }
}
