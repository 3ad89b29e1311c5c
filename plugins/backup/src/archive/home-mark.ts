import { join } from "node:path";
import { toVisibleText } from "@gantry/plugin";
import * as z from "zod";
import { readSmallFile, writeNewFile } from "./plain-file.ts";

/** Beside the manifest: which home made the snapshot. Earlier versions did not write it. */
export const HOME_FILE = "home.json";
const MAX_BYTES = 16 * 1024;

const homeMark = z.object({
  /** Made once for each home. */
  id: z.string().regex(/^[a-z0-9_]{8,64}$/),
  host: z.string().max(255),
  folder: z.string().max(4096),
});

/** The home that made a snapshot. */
export type HomeMark = z.infer<typeof homeMark>;

/** The name of a home for people. */
export function toHomeName({ host, folder }: HomeMark): string {
  return toVisibleText(`${host}:${folder}`);
}

/** @returns `undefined` if it is not known */
export async function readHomeMark(
  snapshot: string,
): Promise<HomeMark | undefined> {
  const path = join(snapshot, HOME_FILE);
  const content = await readSmallFile(path, MAX_BYTES).catch(() => undefined);
  if (!content || content === "too-large") return undefined;
  try {
    return homeMark.safeParse(JSON.parse(content.toString())).data;
  } catch {
    return undefined;
  }
}

/** Writes it into the folder of a snapshot that is being made. */
export async function writeHomeMark(
  snapshot: string,
  mark: HomeMark,
): Promise<void> {
  await writeNewFile(join(snapshot, HOME_FILE), JSON.stringify(mark));
}
