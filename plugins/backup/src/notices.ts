import { describeError, type Log } from "@gantry/plugin";
import type { InboxItems } from "@gantry/plugin-inbox/contract";

/** Something that the user should know. */
export interface BackupNotice {
  /** One notice has a key; it is taken back by it. */
  key: string;
  title: string;
  /** Markdown. */
  body: string;
  severity: "warning" | "error";
}

/** Puts notices into the Inbox. */
export interface Notices {
  /** Shows a notice, once for each key, as soon as there is an Inbox. */
  raise(notice: BackupNotice): Promise<void>;
  /** Marks a notice as done; harmless if there is none. */
  settle(key: string): Promise<void>;
  /** Hands over what waited for the Inbox. */
  connected(): Promise<void>;
}

/** @param inbox Gives the Inbox while it is there. */
export function createNotices(
  inbox: () => InboxItems | undefined,
  log: Log,
  signal: AbortSignal,
): Notices {
  let waiting: BackupNotice[] = [];

  /** Without the Inbox everything else works all the same. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      log.warn("The Inbox took no notice", { reason: describeError(error) });
    }
  }

  async function raise(notice: BackupNotice): Promise<void> {
    const items = inbox();
    if (!items) {
      waiting.push(notice);
      return;
    }
    await attempt(() =>
      items.add(
        {
          kind: "notice",
          source: { type: "backup", id: "backup", name: null },
          ...notice,
        },
        signal,
      ),
    );
  }

  return {
    raise,
    async settle(key) {
      waiting = waiting.filter((notice) => notice.key !== key);
      const items = inbox();
      if (items) await attempt(() => items.settle({ key }, signal));
    },
    async connected() {
      for (const notice of waiting.splice(0)) await raise(notice);
    },
  };
}
