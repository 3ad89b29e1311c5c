import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

/** An entry of an archive; anything may be wrong in it. */
export interface TarEntry {
  name: string;
  content?: string | Buffer;
  /** `0` a file, `1` a hard link, `2` a symbolic link, `5` a folder, `x` an extended header. */
  type?: string;
  link?: string;
  /** The `prefix` field of ustar: what comes before the name. */
  prefix?: string;
  /** Instead of the true size. */
  size?: number;
}

const BLOCK = 512;

/** Writes an archive entry by entry, without any of the checks that a real archiver makes. */
export async function writeTarball(
  file: string,
  entries: readonly TarEntry[],
): Promise<string> {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [renderHeader(entry, content.length), content, padding];
  });
  await writeFile(
    file,
    gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])),
  );
  return file;
}

function renderHeader(
  { name, type = "0", link = "", prefix = "", size }: TarEntry,
  length: number,
): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${(size ?? length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write("ustar\0" + "00", 257);
  header.write(prefix, 345, 155);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** The ways in which archivers write a path of more than 100 bytes. */
export const longPaths: Record<
  string,
  (path: string, content: string) => TarEntry[]
> = {
  "the prefix of ustar": (path, content) => {
    const slash = path.lastIndexOf("/", 155);
    const name = path.slice(slash + 1);
    return [{ name, prefix: path.slice(0, slash), content }];
  },
  "a pax header": (path, content) => [
    { name: "package/PaxHeader", type: "x", content: paxRecord("path", path) },
    { name: "package/cut", content },
  ],
  "a long name of GNU": (path, content) => [
    { name: "././@LongLink", type: "L", content: `${path}\0` },
    { name: "package/cut", content },
  ],
};

/** A record of a pax header, which begins with its own length. */
export function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(`${length}${rest}`)) length++;
  return `${length}${rest}`;
}

/** The entries of a package that installs. */
export function packageEntries(
  manifest: object = {},
  server = "export default {};",
): TarEntry[] {
  const whole = {
    name: "gantry-plugin-sample",
    version: "1.2.3",
    gantry: { api: 1, server: "./dist/server.mjs" },
    ...manifest,
  };
  return [
    { name: "package/package.json", content: JSON.stringify(whole) },
    { name: "package/dist/server.mjs", content: server },
  ];
}
