import { createHash } from "node:crypto";
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  unlink,
} from "node:fs/promises";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import {
  identifyProcess,
  isProcessAlive,
  isTreeAlive,
  processIdentity,
} from "./process-identity.ts";

/** The process that writes to a conversation. */
const holderSchema = processIdentity.extend({
  agentId: z.string(),
  /** It is a CLI, which holds the lock together with all that it started; a daemon holds it alone. */
  isCli: z.boolean().default(true),
});

type Holder = z.infer<typeof holderSchema>;

/** The right to write to one conversation. */
export interface SessionLock {
  /** Says which process writes now. From then on the lock is that process's, even if the daemon ends. */
  hand(pid: number): Promise<void>;
  /** Gives the lock up. It stays with a CLI that is still alive, and is void when that ends. */
  release(): Promise<void>;
}

/**
 * One writer a conversation, on disk: with two, some CLIs silently lose what one of them wrote. A lock follows the
 * process that holds it: it is void once that process and what it started are gone, so a crash leaves nothing to clean
 * up, and not before, so no second writer is let in.
 */
export class SessionLocks {
  readonly #folder: string;
  /** Files of locks that this daemon holds; the file alone could not tell two takers of a void one apart. */
  readonly #held = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(folder: string): Promise<SessionLocks> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new SessionLocks(folder);
  }

  /**
   * Takes the lock of a conversation.
   *
   * @throws AGENT_SESSION_LOCKED if a process that is alive holds it.
   */
  async take(
    cli: string,
    sessionId: string,
    agentId: string,
  ): Promise<SessionLock> {
    const file = join(this.#folder, `${hashOf(cli, sessionId)}.json`);
    if (this.#held.has(file)) {
      const { pid } = (await read(file)) ?? process;
      throw errors.AGENT_SESSION_LOCKED({ pid });
    }
    this.#held.add(file);
    try {
      await this.#claim(file, {
        agentId,
        isCli: false,
        ...(await identifyProcess(process.pid)),
      });
    } catch (error) {
      this.#held.delete(file);
      throw error;
    }
    return this.#toLock(file, agentId);
  }

  /**
   * Takes over a lock that an earlier daemon made for this agent and whose process is still alive.
   *
   * @throws AGENT_SESSION_LOCKED if another holds it.
   */
  async adopt(
    cli: string,
    sessionId: string,
    agentId: string,
  ): Promise<SessionLock> {
    const file = join(this.#folder, `${hashOf(cli, sessionId)}.json`);
    const current = await read(file);
    const isTheirs = current?.agentId === agentId && (await isHeldBy(current));
    if (!isTheirs || this.#held.has(file))
      return await this.take(cli, sessionId, agentId);
    this.#held.add(file);
    return this.#toLock(file, agentId);
  }

  /** Removes the files of void locks: those of one agent, or all. One that cannot be removed does not keep the others. */
  async sweep(agentId?: string): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const name of await readdir(this.#folder)) {
      const file = join(this.#folder, name);
      try {
        const holder = await read(file);
        const isOther = agentId !== undefined && holder?.agentId !== agentId;
        if (isOther || this.#held.has(lockOf(file))) continue;
        if (holder && (await isHeldBy(holder))) continue;
        await unlink(file);
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }

  #toLock(file: string, agentId: string): SessionLock {
    return {
      hand: async (pid) =>
        await this.#write(file, {
          agentId,
          isCli: true,
          ...(await identifyProcess(pid)),
        }),
      release: async () => {
        const holder = await read(file);
        if (!holder?.isCli || !(await isHeldBy(holder)))
          await unlink(file).catch(() => undefined);
        this.#held.delete(file);
      },
    };
  }

  async #claim(file: string, holder: Holder): Promise<void> {
    for (;;) {
      try {
        return await writeNew(file, holder);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const current = await read(file);
      if (current && (await isHeldBy(current))) {
        throw errors.AGENT_SESSION_LOCKED({ pid: current.pid });
      }
      await unlink(file).catch(() => undefined);
    }
  }

  async #write(file: string, holder: Holder): Promise<void> {
    const draft = `${file}.${createIdentifier("tmp")}`;
    await writeNew(draft, holder);
    await rename(draft, file);
  }
}

/** The file of a lock, given that file or a draft of it. */
function lockOf(file: string): string {
  return file.replace(/\.tmp_[^./]*$/, "");
}

/** Writes a file that must not exist. It is on disk when this resolves. */
async function writeNew(file: string, holder: Holder): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(JSON.stringify(holder));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isHeldBy(holder: Holder): Promise<boolean> {
  return holder.isCli ? isTreeAlive(holder) : isProcessAlive(holder);
}

function hashOf(cli: string, sessionId: string): string {
  return createHash("sha256")
    .update(`${cli}\0${sessionId}`)
    .digest("hex")
    .slice(0, 40);
}

/** The holder that a file names; none if a crash has torn the file. */
async function read(file: string): Promise<Holder | undefined> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}
