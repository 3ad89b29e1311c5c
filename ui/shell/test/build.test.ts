import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { kitExports } from "../../kit/src/kitExports.ts";
import { promisedComponents } from "../../kit/src/promisedComponents.ts";
import { toThemeTypes } from "../scripts/toThemeTypes.ts";
import { compileUtilities } from "./support/utilitiesSheet.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const read = (path: string) => readFileSync(join(dist, path), "utf8");

test("plugins are handed what they may import, and what every Vue build imports", () => {
  const names =
    /\{([^}]*)\}/.exec(read("public/shared/modules.mjs"))?.[1]?.split(",") ??
    [];
  const fromVue = [
    "ref",
    "computed",
    "defineComponent",
    "openBlock",
    "createVNode",
    "withCtx",
    "resolveComponent",
  ];
  const fromRouter = [
    "useRoute",
    "useRouter",
    "RouterLink",
    "onBeforeRouteLeave",
  ];
  expect(names).toEqual(
    expect.arrayContaining([...kitExports, ...fromVue, ...fromRouter]),
  );
  const map =
    /<script type="importmap"[^>]*>([^<]*)</.exec(
      read("public/200.html"),
    )?.[1] ?? "";
  expect(JSON.parse(map)).toEqual({
    imports: {
      vue: "/shared/modules.mjs",
      "vue-router": "/shared/modules.mjs",
      "@gantry/ui-kit": "/shared/modules.mjs",
    },
  });
});

test("each group of components exports what plugins were promised", () => {
  for (const [group, names] of Object.entries(promisedComponents)) {
    const source = readFileSync(
      join(root, `app/components/groups/${group}.ts`),
      "utf8",
    );
    const exported = [
      ...source.matchAll(
        /default as (U\w+) \} from "@nuxt\/ui\/components\/(\w+)\.vue"/g,
      ),
    ];
    expect(exported.map(([, name]) => name).sort()).toEqual([...names].sort());
    expect(exported.every(([, name, file]) => name === `U${file}`)).toBe(true);
  }
});

test("one page answers every path, loads nothing from other hosts, and has few scripts in it", () => {
  const page = read("public/200.html");
  expect(read("public/index.html")).toBe(page);
  expect(
    page.replaceAll("http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg", ""),
  ).not.toMatch(/https?(:\/\/|%3A)/);
  const inline = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>/g)];
  expect(inline.length).toBeLessThanOrEqual(4);
  expect(page).not.toMatch(/ on[a-z]+=/);
  // The import map has to be there before anything is imported, our styles before the utilities.
  expect(page.indexOf("importmap")).toBeLessThan(page.indexOf("modulepreload"));
  expect(page.indexOf("/_nuxt/entry.")).toBeLessThan(
    page.indexOf("/ui/utilities.css"),
  );
});

test("the shell's own sheet holds no utility classes", () => {
  const [file] = globSync("public/_nuxt/entry.*.css", { cwd: dist });
  const sheet = read(file ?? "");
  expect(sheet).toMatch(/@layer theme/);
  expect(sheet).not.toMatch(/@layer utilities\s*\{/);
  for (const utility of [".flex", ".hidden", ".bg-default", ".text-sm"]) {
    expect(sheet).not.toMatch(new RegExp(`\\${utility}\\s*[{,]`));
  }
});

test("the parts for the daemon make the sheet with the shell's classes and a plugin's", async () => {
  const sheet = await compileUtilities(dist, [
    "mt-[13px]",
    "dark:text-lime-500",
  ]);
  for (const selector of [
    ".flex",
    ".bg-elevated",
    ".text-muted",
    ".bg-warning\\/12",
    ".mt-\\[13px\\]",
  ]) {
    expect(sheet).toContain(`${selector} `);
  }
  const at = sheet.indexOf(".dark\\:text-lime-500");
  expect(sheet.slice(at, at + 120)).toContain(":where(.dark, .dark *)");
  expect(sheet).toContain("--font-sans");
  expect(read("tailwind/theme.css")).not.toMatch(/@source|@import|body/);
});

test("everything that gets smaller is there compressed, and is the same", () => {
  const files = globSync("public/**/*.{css,html,js,mjs,svg}", { cwd: dist });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const content = readFileSync(join(dist, file));
    if (content.length < 512) continue;
    expect(
      gunzipSync(readFileSync(join(dist, `${file}.gz`))).equals(content),
      file,
    ).toBe(true);
    expect(existsSync(join(dist, `${file}.br`)), file).toBe(true);
  }
});

test("the kit's types of Nuxt UI's themes are those of this build", async () => {
  const types = readFileSync(
    join(root, "../kit/src/themes.generated.d.ts"),
    "utf8",
  );
  expect(types).toBe(await toThemeTypes(root));
});
