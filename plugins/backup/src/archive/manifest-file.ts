import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { replaceFile } from "@gantry/plugin/files";
import { errors } from "../errors.ts";
import { checkManifest } from "./check-manifest.ts";
import { MAX_MANIFEST_BYTES } from "./limits.ts";
import { FORMAT, manifestSchema, type Manifest } from "./manifest.ts";
import { MANIFEST_DIGEST_FILE, MANIFEST_FILE } from "./names.ts";
import { parseShallow } from "./parse-shallow.ts";
import { readSmallFile, writeNewFile } from "./plain-file.ts";
import { createRefusals, toFolderError } from "./refusals.ts";

/**
 * Reads the manifest of a snapshot and checks it, for itself.
 *
 * @param path Folder of the snapshot.
 * @throws BACKUP_SNAPSHOT_CORRUPT also if there is none, BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE,
 *   BACKUP_SNAPSHOT_TOO_NEW, BACKUP_FOLDER_UNAVAILABLE
 */
export async function readManifest(path: string): Promise<Manifest> {
  const name = basename(path);
  const refusals = createRefusals(name);
  const [text, digest] = await Promise.all([
    readSmallFile(join(path, MANIFEST_FILE), MAX_MANIFEST_BYTES),
    readSmallFile(join(path, MANIFEST_DIGEST_FILE), MAX_MANIFEST_BYTES),
  ]).catch((error: unknown) => {
    throw toFolderError(error, path);
  });
  if (text === undefined) throw refusals.corrupt(`${MANIFEST_FILE} is missing`);
  if (text === "too-large")
    throw refusals.tooLarge(`${MANIFEST_FILE} has more than 16 MiB`);
  const isIntact = digest?.toString("latin1") === digestLine(text);
  // A later format may keep its digest elsewhere.
  if (digest !== undefined && !isIntact)
    throw refusals.corrupt(`${MANIFEST_FILE} is not what was written`);
  const json = parse(text);
  const format = formatOf(json);
  if (format !== undefined && format > FORMAT)
    throw errors.BACKUP_SNAPSHOT_TOO_NEW({
      ...{ id: name, what: "format", format, known: FORMAT },
    });
  if (!isIntact) throw refusals.corrupt(`${MANIFEST_DIGEST_FILE} is missing`);
  const result = manifestSchema.safeParse(json);
  if (!result.success) {
    const where = result.error.issues[0]?.path.join(".") ?? "";
    throw refusals.invalid(
      `"${where}" in ${MANIFEST_FILE} does not fit`,
      result.error,
    );
  }
  checkManifest(result.data, createRefusals(result.data.id));
  return result.data;
}

/** Writes the manifest, with which the snapshot begins to exist. */
export async function writeManifest(
  path: string,
  manifest: Manifest,
): Promise<void> {
  checkManifest(manifestSchema.parse(manifest), createRefusals(manifest.id));
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  if (text.length > MAX_MANIFEST_BYTES)
    throw createRefusals(manifest.id).tooLarge("its manifest is too large");
  await writeNewFile(join(path, MANIFEST_DIGEST_FILE), digestLine(text));
  await replaceFile(join(path, MANIFEST_FILE), text);
}

/** As `sha256sum` writes it. */
function digestLine(text: Buffer): string {
  const digest = createHash("sha256").update(text).digest("hex");
  return `${digest}  ${MANIFEST_FILE}\n`;
}

function parse(text: Buffer): unknown {
  try {
    return parseShallow(text.toString());
  } catch {
    return undefined;
  }
}

function formatOf(json: unknown): number | undefined {
  const { format } = (json ?? {}) as { format?: unknown };
  return typeof format === "number" ? format : undefined;
}
