/** What a byte is written as that is in no well-formed text: a lone surrogate, which no name in UTF-8 has. */
const ESCAPED_BYTE = 0xdc00;
const FIRST_ESCAPED = 0x80;

/**
 * A name as text that {@link toDiskPath} turns into the same bytes again. In a name that is not UTF-8, which most disks take, each
 * byte that is not ASCII is a lone surrogate; such a text is not well-formed.
 */
export function fromDiskName(name: Buffer): string {
  const text = name.toString();
  if (!text.includes("\ufffd") || name.equals(Buffer.from(text))) return text;
  return Array.from(name, (byte) =>
    String.fromCharCode(byte < FIRST_ESCAPED ? byte : ESCAPED_BYTE + byte),
  ).join("");
}

/** What to hand to the file system for a path with names of {@link fromDiskName}. */
export function toDiskPath(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  // Every second one is a run of escaped bytes.
  const runs = path.split(/([\udc80-\udcff]+)/u);
  return Buffer.concat(
    runs.map((run, index) =>
      Buffer.from(run, index % 2 === 0 ? "utf8" : "latin1"),
    ),
  );
}
