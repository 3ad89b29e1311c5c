import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

interface Row {
  path: string;
  raw: number;
  gzip: number;
}

/** The sizes of everything in `dist`, as a table to print. */
export function sizeTable(folder: string): string {
  const dist = join(folder, "dist");
  const rows = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => toRow(folder, join(entry.parentPath, entry.name)))
    .sort((a, b) => a.path.localeCompare(b.path));
  const served = rows.filter(
    ({ path }) => path.startsWith("dist/ui/") && !path.endsWith(".json"),
  );
  if (served.length > 1) rows.push(sum("UI in all", served));
  const width = Math.max(...rows.map(({ path }) => path.length));
  return [
    `${"".padEnd(width)}  ${"raw".padStart(10)}  ${"gzip".padStart(10)}`,
    ...rows.map(
      ({ path, raw, gzip }) =>
        `${path.padEnd(width)}  ${kilobytes(raw)}  ${kilobytes(gzip)}`,
    ),
  ].join("\n");
}

function toRow(folder: string, file: string): Row {
  const content = readFileSync(file);
  return {
    path: relative(folder, file).replaceAll("\\", "/"),
    raw: content.length,
    gzip: gzipSync(content).length,
  };
}

function sum(path: string, rows: readonly Row[]): Row {
  return {
    path,
    raw: rows.reduce((total, row) => total + row.raw, 0),
    gzip: rows.reduce((total, row) => total + row.gzip, 0),
  };
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(2)} kB`.padStart(10);
}
