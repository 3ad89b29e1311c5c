import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { replaceFile } from "@gantry/plugin/files";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { toHomeName } from "../archive/home-mark.ts";
import type { HomeMark } from "../archive/home-mark.ts";

const FILE = "home.json";
const MAX_ADOPTED = 100;

const stored = z.object({
  id: z.string(),
  /** Homes that this one was restored from, and when: what they made before is its own past. */
  adopted: z.array(z.object({ id: z.string(), at: timestamp })),
});
type Stored = z.infer<typeof stored>;

/** Tells the snapshots of this home from those of others that lie in the same folder. */
export interface HomeIdentity {
  /** Whether it has one, without which nothing tells its snapshots from others. */
  readonly isKnown: boolean;
  /** Grows with each change of what {@link otherOf} says. */
  readonly revision: number;
  /** For new snapshots. It is stored when this resolves. */
  mark(): Promise<HomeMark>;
  /** Which other home made a snapshot; `null` for this one, and where it is not known. */
  otherOf(mark: HomeMark | undefined, createdAt: string): string | null;
  /** What the home of a restored snapshot made until then counts as made by this one. */
  adopt(mark: HomeMark, at: string): Promise<void>;
}

/**
 * Opens the identity of a home. A new one gets it with its first snapshot, and knows no others until then.
 *
 * @param folder The plugin's own folder, which is in no snapshot.
 * @param home Folder of the home.
 */
export async function openHomeIdentity(
  folder: string,
  home: string,
): Promise<HomeIdentity> {
  const file = join(folder, FILE);
  let identity = await read(file);
  let revision = 0;

  async function save(next: Stored): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(file, JSON.stringify(next));
    identity = next;
    revision++;
  }

  async function ensure(): Promise<Stored> {
    if (identity) return identity;
    const made = { id: randomBytes(12).toString("hex"), adopted: [] };
    await save(made);
    return made;
  }

  return {
    get isKnown() {
      return identity !== undefined;
    },
    get revision() {
      return revision;
    },
    async mark() {
      const { id } = await ensure();
      return { id, host: hostname(), folder: home };
    },
    otherOf(mark, createdAt) {
      if (!mark || !identity || mark.id === identity.id) return null;
      const adopted = identity.adopted.find(({ id }) => id === mark.id);
      if (adopted && createdAt <= adopted.at) return null;
      return toHomeName(mark);
    },
    async adopt({ id }, at) {
      const known = await ensure();
      if (known.id === id) return;
      const others = known.adopted.filter((each) => each.id !== id);
      const adopted = [...others, { id, at }].slice(-MAX_ADOPTED);
      await save({ ...known, adopted });
    },
  };
}

async function read(file: string): Promise<Stored | undefined> {
  try {
    return stored.safeParse(JSON.parse(await readFile(file, "utf8"))).data;
  } catch {
    // Missing or damaged: a new one is created.
    return undefined;
  }
}
