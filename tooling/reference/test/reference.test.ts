import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { defineEvent } from "@gantry/plugin";
import { expect, onTestFinished, test } from "vitest";
import { describeProduct } from "../src/areas.ts";
import { compareDocuments } from "../src/documents.ts";
import { compareReadme } from "../src/readme.ts";
import type { Area } from "../src/render.ts";

const product = await describeProduct();
const { areas } = product;

test.each(areas.map((area) => [relative("../..", area.readme), area] as const))(
  "%s has the tables that the code gives; `npm run docs` writes them",
  async (_name, area) => {
    const { current, wanted } = await compareReadme(area);
    expect(current).toBe(wanted);
  },
);

const documents = await compareDocuments(product);

test.each(
  documents.map((each) => [relative("../..", each.path), each] as const),
)(
  "%s is what the code gives; `npm run docs` writes it",
  (_name, { current, wanted }) => expect(current).toBe(wanted),
);

const kernel = areas.find(({ readme }) =>
  readme.endsWith("kernel/core/README.md"),
);

test("the kernel and each plugin of this repository are described", () => {
  expect(areas.length).toBeGreaterThan(1);
  for (const { readme, area } of areas)
    expect(area.routes.length, readme).toBeGreaterThan(0);
});

/** Tables of the plugins whose services an area uses, whose errors its operations can pass on. */
const errorsOfServices = ({ uses }: Area) =>
  areas
    .filter(({ area: { provides } }) =>
      uses.some(({ token }) => provides.some(({ id }) => id === token.id)),
    )
    .map(({ area: { errors } }) => errors);

test("every error that an operation names is in a table: its plugin's, the kernel's, or that of a service it uses", () => {
  for (const { readme, area } of areas) {
    const known = Object.assign(
      { ...kernel?.area.errors, ...area.errors },
      ...errorsOfServices(area),
    ) as object;
    const named = area.routes.flatMap(({ errors }) => errors ?? []);
    expect(
      named.filter((code) => !Object.hasOwn(known, code)),
      readme,
    ).toEqual([]);
  }
});

test("no two tables have the same code", () => {
  const codes = areas.flatMap(({ area }) => Object.keys(area.errors));
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
});

const area: Area = {
  routes: [],
  provides: [],
  uses: [],
  events: [
    defineEvent("notes.note-added", "A __note__ was `__added__` | by hand."),
  ],
  errors: {},
};

async function compare(content: string) {
  const folder = await mkdtemp(join(tmpdir(), "gantry-readme-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const readme = join(folder, "README.md");
  await writeFile(readme, content);
  return compareReadme({ readme, area });
}

test("tables are put in their place, and nothing else changes", async () => {
  const { current, wanted } = await compare(
    "# Notes\n\n<!-- reference -->\n\nold\n\n<!-- /reference -->\n\nBy hand.\n",
  );
  expect(wanted).not.toBe(current);
  expect(wanted).toBe(
    [
      "# Notes",
      "<!-- reference -->",
      "## Events",
      [
        "| Event              | When                                       |",
        "| ------------------ | ------------------------------------------ |",
        "| `notes.note-added` | A \\_\\_note\\_\\_ was `__added__` \\| by hand. |",
      ].join("\n"),
      "<!-- /reference -->",
      "By hand.\n",
    ].join("\n\n"),
  );
  const again = await compare(wanted);
  expect(again.wanted).toBe(again.current);
});

test.each([
  ["no marks", "# Notes\n"],
  ["only one mark", "<!-- reference -->\n"],
  ["marks the wrong way round", "<!-- /reference -->\n<!-- reference -->\n"],
])("a README with %s is refused", async (_case, content) => {
  await expect(compare(content)).rejects.toThrow("needs a place");
});
