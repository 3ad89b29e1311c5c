import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findChromium } from "../chromium.mjs";
import { createFolder } from "./folder.mjs";

const WORKS = '#!/bin/sh\necho "Chromium 156"\n';
const BROKEN = "#!/bin/sh\nexit 1\n";
const MODULE = fileURLToPath(new URL("../chromium.mjs", import.meta.url));

it("takes the browser that GANTRY_CHROMIUM names, before one on PATH", () => {
  const folder = createFolder({ "mine/browser": WORKS, "bin/chromium": WORKS });
  const env = {
    PATH: join(folder, "bin"),
    GANTRY_CHROMIUM: join(folder, "mine/browser"),
  };
  expect(findChromium(env)).toBe(join(folder, "mine/browser"));
});

it("takes no other browser if the one in GANTRY_CHROMIUM does not start", () => {
  const folder = createFolder({ "bin/chromium": WORKS });
  expect(
    findChromium({ PATH: join(folder, "bin"), GANTRY_CHROMIUM: "/nowhere" }),
  ).toBeUndefined();
});

it("takes one without windows before others, but not where viewers are needed", () => {
  const folder = createFolder({
    "bin/chromium": WORKS,
    "bin/chromium-headless-shell": WORKS,
  });
  const PATH = join(folder, "bin");
  const shell = join(PATH, "chromium-headless-shell");
  expect(findChromium({ PATH })).toBe(shell);
  for (const env of [{ PATH }, { PATH, GANTRY_CHROMIUM: shell }])
    expect(findChromium(env, { hasViewers: true })).toBe(
      join(PATH, "chromium"),
    );
});

it("passes over a browser that does not start", () => {
  const folder = createFolder({
    "a/chromium": BROKEN,
    "b/google-chrome": WORKS,
  });
  expect(
    findChromium({ PATH: `${join(folder, "a")}:${join(folder, "b")}` }),
  ).toBe(join(folder, "b/google-chrome"));
});

/** Runs ensureChromium() on a machine without a browser, with an apt-get that does this. */
function ensureWith({ update, install }) {
  const folder = createFolder({
    "bin/apt-get": `#!/bin/sh
      folder=$(dirname "$0")
      echo "$@" >> "$folder/calls"
      case "$*" in
        *update) ${update} ;;
        *install*) ${install} ;;
      esac`,
  });
  const bin = join(folder, "bin");
  const code = `import { ensureChromium } from ${JSON.stringify(MODULE)}; console.log(ensureChromium());`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", code],
    {
      // The tools of the false apt-get, but no real browser.
      env: { PATH: `${bin}:${shellTools()}` },
      encoding: "utf8",
    },
  );
  const calls = readFileSync(join(bin, "calls"), "utf8").trim().split("\n");
  return { bin, calls, path: stdout.trim(), said: stderr.trim().split("\n") };
}

const PUT =
  'printf "#!/bin/sh\\nexit 0\\n" > "$folder/chromium"; chmod +x "$folder/chromium"';
const UPDATE = "-qq -y update";
const BOTH =
  "-qq -y install --no-install-recommends chromium chromium-headless-shell";
const ONE = "-qq -y install --no-install-recommends chromium";

describe.runIf(process.getuid?.() === 0 && process.platform === "linux")(
  "where root may install one",
  () => {
    it("installs the newest, so the lists are brought up to date first", () => {
      const { bin, calls, path, said } = ensureWith({
        update: 'touch "$folder/lists"',
        install: `[ -e "$folder/lists" ] || exit 100; ${PUT}`,
      });
      expect(path).toBe(join(bin, "chromium"));
      expect(calls).toEqual([UPDATE, BOTH]);
      expect(said).toEqual([
        "Installing Chromium for the browser tests (once)…",
      ]);
    });

    it("takes the older lists when they cannot be updated, and the browser alone when that is all there is", () => {
      const { bin, calls, path } = ensureWith({
        update: "exit 100",
        install: `case "$*" in *shell) exit 100;; esac; ${PUT}`,
      });
      expect(path).toBe(join(bin, "chromium"));
      expect(calls).toEqual([UPDATE, BOTH, ONE]);
    });

    it.each([
      ["exit 100", "exit 100", /not installed: `apt-get update` failed/],
      [
        "exit 0",
        "exit 100",
        /not installed: `apt-get install chromium` failed/,
      ],
      ["exit 0", "exit 0", /not installed: what apt-get installed does not/],
    ])(
      "says in one line why it cannot: update %s, install %s",
      (update, install, reason) => {
        const { path, said } = ensureWith({ update, install });
        expect(path).toBe("undefined");
        expect(said).toHaveLength(2);
        expect(said[1]).toMatch(reason);
        expect(said[1]).toMatch(/GANTRY_CHROMIUM/);
      },
    );
  },
);

it("says in one line how to get one where it may not install", () => {
  const code = `process.getuid = () => 1000; const { ensureChromium } = await import(${JSON.stringify(MODULE)}); console.log(ensureChromium());`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", code],
    {
      env: { PATH: createFolder() },
      encoding: "utf8",
    },
  );
  expect(stdout).toBe("undefined\n");
  expect(stderr.trim()).toMatch(
    /^Browser tests need Chromium.*apt-get install chromium.*$/,
  );
});

/** A folder with only the few tools that a shell script needs. */
function shellTools() {
  const tools = ["sh", "dirname", "touch", "chmod"];
  const { stdout } = spawnSync(
    "sh",
    ["-c", tools.map((tool) => `command -v ${tool}`).join(";")],
    { encoding: "utf8" },
  );
  const paths = stdout.trim().split("\n");
  return createFolder(
    Object.fromEntries(
      tools.map((tool, index) => [
        tool,
        `#!${paths[0]}\nexec ${paths[index]} "$@"\n`,
      ]),
    ),
  );
}
