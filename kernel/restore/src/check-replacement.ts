import { basename, dirname } from "node:path";
import type { HomeReplacement } from "@gantry/plugin";
import type { RestoreFolder } from "./replacement-files.ts";

const MAX_NOTE_BYTES = 4096;

/** The name of the stage that is handed in. @throws TypeError for a folder that is none, or a note that is too long */
export function checkReplacement(
  { stage, mode, note }: HomeReplacement,
  restore: RestoreFolder,
): string {
  if (mode !== "replace" && mode !== "merge")
    throw new TypeError(`"${String(mode)}" is not a way to replace a home.`);
  if (typeof note !== "object" || note === null || Array.isArray(note))
    throw new TypeError("The note of a replacement is an object.");
  if (Buffer.byteLength(JSON.stringify(note)) > MAX_NOTE_BYTES)
    throw new TypeError("The note of a replacement is too long.");
  const name = basename(stage);
  if (dirname(stage) !== restore.folder || !/^[a-z0-9]+$/.test(name))
    throw new TypeError(`${stage} is not a stage of this home.`);
  return name;
}
