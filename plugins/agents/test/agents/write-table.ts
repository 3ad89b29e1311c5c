// Writes what each real CLI has shown in the last run as a table: `node test/agents/write-table.ts [REPORT.json…]`.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Report {
  testResults: {
    assertionResults: {
      ancestorTitles: string[];
      title: string;
      status: string;
    }[];
  }[];
}

const MARKS: Readonly<Record<string, string>> = {
  passed: "yes",
  failed: "FAILED",
};

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const files =
  process.argv.length > 2
    ? process.argv.slice(2)
    : [
        fileURLToPath(
          new URL("../../.turbo/test-agents-report.json", import.meta.url),
        ),
      ];

const clis = new Set<string>();
const rows = new Map<string, Map<string, string>>();
for (const file of files) {
  const report = JSON.parse(await readFile(file, "utf8")) as Report;
  for (const { ancestorTitles, title, status } of report.testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  )) {
    const [suite = ""] = ancestorTitles;
    // "the real pi 0.74.2: copies" is of pi 0.74.2, and "the real Codex: copies" of Codex, whatever its version.
    const name = suite.replace(/^the real /, "").replace(/: \w+$/, "");
    const known = [...clis].find((cli) => cli.startsWith(`${name} `));
    const cli = known ?? name;
    clis.add(cli);
    const row = rows.get(title) ?? new Map<string, string>();
    // A run of a part says nothing of the rest.
    if (MARKS[status] || !row.has(cli)) row.set(cli, MARKS[status] ?? "–");
    rows.set(title, row);
  }
}

const names = [...clis];
const lines = [
  `| What was shown | ${names.join(" | ")} |`,
  `| --- | ${names.map(() => "---").join(" | ")} |`,
  ...[...rows].map(
    ([title, row]) =>
      `| ${title} | ${names.map((name) => row.get(name) ?? "–").join(" | ")} |`,
  ),
];
const folder = join(root, "artifacts");
await mkdir(folder, { recursive: true });
const target = join(folder, "agent-clis.md");
await writeFile(target, `${lines.join("\n")}\n`);
console.log(`${names.length} CLIs, ${rows.size} rows: ${target}`);
