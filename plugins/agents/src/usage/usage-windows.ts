import type { UsageWindow } from "../driver-reports.ts";

/** Windows that are kept of a CLI; one has a few. */
const MAX_WINDOWS = 20;

/** What CLIs said last of the limits of their subscriptions, since the daemon started. */
export class UsageWindows {
  readonly #windows = new Map<string, readonly UsageWindow[]>();

  /** Takes the windows of a CLI: each in place of the one of its name. */
  set(cli: string, windows: readonly UsageWindow[]): void {
    const byName = new Map(
      [...(this.#windows.get(cli) ?? []), ...windows].map((window) => [
        window.name,
        window,
      ]),
    );
    this.#windows.set(cli, [...byName.values()].slice(0, MAX_WINDOWS));
  }

  /** The windows of a CLI; one that was reset since is unknown, and left out. */
  of(cli: string, now: number): UsageWindow[] {
    return (this.#windows.get(cli) ?? []).filter(
      ({ resetsAt }) => resetsAt === null || Date.parse(resetsAt) > now,
    );
  }
}
