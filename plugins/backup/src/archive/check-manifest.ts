import {
  FREE_CONTENT_BYTES,
  isBomb,
  MAX_ARCHIVE_BYTES,
  MAX_FILES,
  MAX_LIST_BYTES,
} from "./limits.ts";
import type { Manifest } from "./manifest.ts";
import {
  archiveName,
  fileListName,
  homeArchiveName,
  homeFiles,
  PIECE_LIST_FILE,
} from "./names.ts";
import type { Refusals } from "./refusals.ts";

/**
 * Checks that what a manifest says fits together, and that none of it is larger than a reader takes.
 *
 * @throws BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE
 */
export function checkManifest(manifest: Manifest, refusals: Refusals): void {
  const { archives, isEncrypted, namespaces, files } = manifest;
  const demand = (isTrue: boolean, reason: string) => {
    if (!isTrue) throw refusals.invalid(reason);
  };
  demand(
    isEncrypted === (manifest.recipient !== null),
    "it does not say for which key it is encrypted",
  );
  demand(
    isEncrypted || !manifest.hasSecrets,
    "it has secrets and is not encrypted",
  );
  demand(
    JSON.stringify(archives.map(({ name }) => name)) ===
      JSON.stringify(expectedArchives(manifest)),
    "its archives are not called as they should be",
  );
  demand(
    files.list.name === fileListName(isEncrypted) &&
      files.pieceList.name === PIECE_LIST_FILE,
    "its lists are not called as they should be",
  );
  demand(
    archives.every(({ namespace, contentSha256, entries }) =>
      namespace === null
        ? contentSha256 === null
        : contentSha256 !== null && entries > 0,
    ),
    "it does not say what its archives hold",
  );
  const hasSums =
    manifest.records === sum(namespaces, "records") &&
    files.count === sum(files.byPlugin, "files") &&
    files.bytes === sum(files.byPlugin, "bytes");
  demand(hasSums, "its counts do not add up");
  checkSizes(manifest, refusals);
}

function checkSizes(
  { archives, files, hasSecrets }: Manifest,
  { tooLarge }: Refusals,
): void {
  for (const { name, bytes, unpackedBytes, entries, namespace } of archives) {
    if (unpackedBytes > MAX_ARCHIVE_BYTES)
      throw tooLarge(`${name} unpacks to ${unpackedBytes} bytes`);
    if (isBomb({ bytes, unpackedBytes }))
      throw tooLarge(
        `${name} has ${bytes} bytes and says that it unpacks to ${unpackedBytes}`,
      );
    const most = namespace === null ? homeFiles(hasSecrets).length : 1;
    if (entries > most) throw tooLarge(`${name} has ${entries} files`);
  }
  const { list, pieceList } = files;
  if (
    list.unpackedBytes > MAX_LIST_BYTES ||
    pieceList.bytes > MAX_LIST_BYTES ||
    files.count > MAX_FILES
  )
    throw tooLarge(`it has ${files.count} files`);
  const content = { bytes: files.storedBytes, unpackedBytes: files.bytes };
  if (isBomb(content, FREE_CONTENT_BYTES))
    throw tooLarge(
      `its files have ${files.storedBytes} bytes and say that they unpack to ${files.bytes}`,
    );
}

/** Of each namespace the first archive, the second and so on; the home's at the end. */
function expectedArchives(manifest: Manifest): string[] {
  const { archives, isEncrypted, namespaces } = manifest;
  const names = namespaces.flatMap(({ name }) => {
    const own = archives.filter(({ namespace }) => namespace === name);
    // A namespace that is listed has at least one.
    return Array.from({ length: Math.max(own.length, 1) }, (_, index) =>
      archiveName(name, index + 1, isEncrypted),
    );
  });
  return [...names, homeArchiveName(isEncrypted)];
}

function sum<Key extends string>(
  items: readonly Record<Key, number>[],
  key: Key,
): number {
  return items.reduce((total, item) => total + item[key], 0);
}
