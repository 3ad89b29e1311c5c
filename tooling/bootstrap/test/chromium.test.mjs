import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
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

describe.runIf(process.getuid?.() === 0 && process.platform === "linux")(
  "where root may install",
  () => {
    /** Runs `ensureChromium` with these programs, the tools that they need, and no real browser. */
    function ensure(files) {
      const bin = join(createFolder(files), "bin");
      const code = `import { ensureChromium } from ${JSON.stringify(MODULE)}; console.log(ensureChromium());`;
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ["--input-type=module", "-e", code],
        { env: { PATH: `${bin}:${shellTools()}` }, encoding: "utf8" },
      );
      const calls = readFileSync(join(bin, "calls"), "utf8").trim().split("\n");
      return { found: relative(bin, stdout.trim()), stderr, calls };
    }
    const INSTALL = "install --no-install-recommends";
    const ADD = `-qq -y -o Acquire::Retries=0 -o Acquire::http::Timeout=10 ${INSTALL} chromium-headless-shell`;

    it("installs one, after an update if the lists are missing", () => {
      const { found, stderr, calls } = ensure({
        "bin/apt-get": `#!/bin/sh
        folder=$(dirname "$0")
        echo "$@" >> "$folder/calls"
        case "$*" in
          *update) touch "$folder/lists" ;;
          *install*) [ -e "$folder/lists" ] || exit 100
            printf '#!/bin/sh\\nexit 0\\n' > "$folder/chromium"; chmod +x "$folder/chromium" ;;
        esac`,
      });
      expect(stderr).toMatch(/Installing Chromium/);
      expect(found).toBe("chromium");
      expect(calls).toEqual([
        `-qq -y ${INSTALL} chromium chromium-headless-shell`,
        `-qq -y ${INSTALL} chromium`,
        "-qq -y update",
        `-qq -y ${INSTALL} chromium chromium-headless-shell`,
      ]);
    });

    it("adds one without windows to another", () => {
      const { found, calls } = ensure({
        "bin/chromium": WORKS,
        "bin/apt-get": `#!/bin/sh
        folder=$(dirname "$0")
        echo "$@" >> "$folder/calls"
        printf '#!/bin/sh\\nexit 0\\n' > "$folder/chromium-headless-shell"; chmod +x "$folder/chromium-headless-shell"`,
      });
      expect(found).toBe("chromium-headless-shell");
      expect(calls).toEqual([ADD]);
    });

    it("takes what there is if none can be added", () => {
      const { found, calls } = ensure({
        "bin/chromium": WORKS,
        "bin/apt-get": `#!/bin/sh\necho "$@" >> "$(dirname "$0")/calls"; exit 100\n`,
      });
      expect(found).toBe("chromium");
      expect(calls).toEqual([ADD]);
    });
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
