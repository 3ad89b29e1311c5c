import { createHash } from "node:crypto";
import type { StoreEntry } from "@gantry/plugin";
import { fillWithheld } from "./config-secrets.ts";
import {
  isFile,
  isLink,
  readFileList,
  type ListedEntry,
  type ListedFolder,
  type ListedLink,
} from "./file-list.ts";
import type { Manifest } from "./manifest.ts";
import type { ReadContext } from "./packed-file-reader.ts";
import { expectShallow } from "./parse-shallow.ts";
import { readPieceList } from "./piece-list.ts";
import type { ProvenFiles } from "./proven-files.ts";
import { findPieces, piecesOf, readPieces } from "./read-pieces.ts";
import { readHomeFiles, readNamespace } from "./read-store.ts";
import { Stage } from "./stage.ts";
import type { OnProgress } from "./progress.ts";

/** What is extracted, and where to. */
export interface ExtractOptions {
  /**
   * What is written, as `only` of a restore takes it: `snippets`, or `automations:run`. All, with the files of the home, without
   * it.
   */
  parts?: readonly string[] | undefined;
  /** Text of the `config.json` of now: settings that the snapshot does not have as they are secrets are taken from it. */
  currentConfig?: string | undefined;
  /** Refuses the text of its `config.json`, as it would be put in place, with a TypeError that says why. */
  checkConfig?: ((text: string) => void) | undefined;
  /** Whether all is on disk when it resolves, which a trial does not need; `true` unless given. */
  isDurable?: boolean;
  /** Gets the files that are extracted; those that it has already are not read where nothing is written. */
  proven?: ProvenFiles | undefined;
  signal: AbortSignal;
  onProgress?: OnProgress | undefined;
}

const CONFIG_FILE = "config.json";

/** What is extracted, without where to. */
type Options = Pick<
  ExtractOptions,
  | "parts"
  | "currentConfig"
  | "checkConfig"
  | "isDurable"
  | "proven"
  | "onProgress"
  | "signal"
>;

/**
 * Reads a snapshot and compares all of it with its digests, counts and sizes, also where only parts are wanted. Both lists are
 * read before anything is written, so that no path is made that was not checked.
 *
 * @param folder An empty folder that it is extracted into; nothing is written without one.
 */
export async function extractSnapshot(
  manifest: Manifest,
  context: ReadContext,
  folder: string | undefined,
  options: Options,
): Promise<void> {
  const parts = toParts(options.parts);
  const known = await readPieceList(manifest, context);
  for await (const { plugin } of readFileList(manifest, known, context))
    void plugin;
  await findPieces(known.keys(), context);
  const stage =
    folder === undefined
      ? undefined
      : await Stage.open(folder, {
          bytes: sizeOf(manifest, parts),
          isDurable: options.isDurable ?? true,
        });
  const totalBytes = manifest.contentBytes;
  let doneBytes = 0;
  const onBytes = (count: number) => {
    doneBytes += count;
    const step = stage ? "staging" : "checking";
    options.onProgress?.({ step, doneBytes, totalBytes });
  };
  const work = { manifest, context, parts, stage, options, onBytes };
  try {
    await extractStore(work);
    await extractHome(work);
    await extractFiles(work, known);
    await stage?.finish();
  } catch (error) {
    await stage?.clear().catch(() => {});
    options.signal.throwIfAborted();
    throw error;
  }
}

interface Work {
  manifest: Manifest;
  context: ReadContext;
  parts: Parts | undefined;
  stage: Stage | undefined;
  options: Options;
  onBytes(count: number): void;
}

/** Which parts are wanted. */
interface Parts {
  hasFiles(plugin: string): boolean;
  /** Whether anything of a namespace is. */
  hasNamespace(name: string): boolean;
  hasKey(namespace: string, key: string): boolean;
}

function toParts(parts: readonly string[] | undefined): Parts | undefined {
  if (!parts) return undefined;
  const names = new Set(parts);
  const namespaces = new Set(parts.map((part) => part.split(":")[0]));
  return {
    hasFiles: (plugin) => names.has(plugin),
    hasNamespace: (name) => namespaces.has(name),
    hasKey(namespace, key) {
      if (names.has(namespace)) return true;
      const end = key.indexOf(":", namespace.length + 1);
      return end >= 0 && names.has(key.slice(0, end));
    },
  };
}

function sizeOf(manifest: Manifest, parts: Parts | undefined): number {
  if (!parts) return manifest.contentBytes;
  let bytes = 0;
  for (const namespace of manifest.namespaces)
    if (parts.hasNamespace(namespace.name)) bytes += namespace.bytes;
  for (const { plugin, bytes: own } of manifest.files.byPlugin)
    if (parts.hasFiles(plugin)) bytes += own;
  return bytes;
}

async function extractStore(work: Work): Promise<void> {
  const { manifest, context, parts, stage, onBytes } = work;
  for (const { name } of manifest.namespaces) {
    const isWanted = parts?.hasNamespace(name) ?? true;
    async function* wanted(): AsyncGenerator<StoreEntry[]> {
      for await (const batch of readNamespace(name, manifest, context)) {
        onBytes(batch.bytes);
        yield parts
          ? batch.entries.filter(({ key }) => parts.hasKey(name, key))
          : batch.entries;
      }
    }
    if (stage && isWanted) await stage.writeEntries(name, wanted());
    else for await (const batch of wanted()) void batch;
  }
}

async function extractHome(work: Work): Promise<void> {
  const { manifest, context, parts, stage, onBytes } = work;
  for await (const { name, content } of readHomeFiles(manifest, context)) {
    onBytes(content.length);
    const text =
      name === CONFIG_FILE ? toConfig(content.toString(), work) : content;
    if (!parts) await stage?.writeFile(name, text);
  }
}

/** The `config.json` that is put in place. */
function toConfig(
  stored: string,
  { context, manifest: { withheld }, options }: Work,
): string {
  const { currentConfig, checkConfig } = options;
  const refuse = (reason: string, cause: unknown) =>
    context.refusals.invalid(`its ${CONFIG_FILE}: ${reason}`, cause);
  try {
    expectShallow(stored);
    const text =
      currentConfig !== undefined && withheld.length > 0
        ? fillWithheld(stored, withheld, currentConfig)
        : stored;
    checkConfig?.(text);
    return text;
  } catch (error) {
    // JSON.parse quotes what it does not understand, which may be a secret.
    if (error instanceof SyntaxError) throw refuse("it is no JSON", error);
    if (error instanceof TypeError) throw refuse(error.message, error);
    throw error;
  }
}

type OpenFile = Awaited<ReturnType<Stage["beginFile"]>>;

async function extractFiles(
  work: Work,
  known: Awaited<ReturnType<typeof readPieceList>>,
): Promise<void> {
  const { manifest, context, parts, stage, onBytes } = work;
  const { proven } = work.options;
  const isWanted = (plugin: string) => parts?.hasFiles(plugin) ?? true;
  const others: (ListedLink | ListedFolder)[] = [];
  async function* pieces() {
    for await (const file of readFileList(manifest, known, context)) {
      if (!isFile(file)) {
        if (isWanted(file.plugin)) others.push(file);
        continue;
      }
      const proof = await proven?.toProof(file, context);
      if (!stage && proven?.has(proof)) {
        onBytes(file.size);
        continue;
      }
      const own = piecesOf(file);
      for (const [index, piece] of own.entries())
        yield {
          ...piece,
          file,
          proof,
          isFirst: index === 0,
          isLast: index === own.length - 1,
        };
      if (own.length === 0) yield { ...NO_PIECE, file, proof };
    }
  }
  let open: OpenFile | undefined;
  let whole = createHash("sha256");
  try {
    for await (const { piece, content } of readPieces(pieces(), context)) {
      const { file, proof, isFirst, isLast } = piece;
      if (isFirst) {
        whole = createHash("sha256");
        if (isWanted(file.plugin))
          open = await stage?.beginFile(pathOf(file), file.mode);
      }
      whole.update(content);
      await open?.write(content);
      onBytes(content.length);
      if (!isLast) continue;
      if (whole.digest("hex") !== file.sha256)
        throw context.refusals.corrupt(
          `the file ${pathOf(file)} is not what was written`,
        );
      proven?.add(proof);
      await open?.end();
      await open?.close();
      open = undefined;
    }
  } finally {
    await open?.close();
  }
  // When all files are written, so that no path leads through a link.
  for (const entry of others)
    if (isLink(entry)) await stage?.makeLink(pathOf(entry), entry.link);
    else await stage?.makeFolder(pathOf(entry), entry.folder);
}

/** An empty file has no pieces. */
const NO_PIECE = { sha256: "", size: 0, isFirst: true, isLast: true };

function pathOf({ plugin, path }: ListedEntry): string {
  return `data/${plugin}/${path}`;
}
