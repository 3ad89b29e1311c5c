import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { StoreEntry } from "@gantry/plugin";
import { copyHome, fillHome, openSmallHome } from "../support/small-home.ts";
import type { HomeContent } from "../support/small-home.ts";
import {
  expectedOf,
  OLD,
  SCENARIOS,
  STAGED,
  toMerge,
} from "../support/replaced-home.ts";
import { makeStage } from "../support/whole-home.ts";

const steps = { before: () => {} };

const CHANGES = [
  "rename",
  "rm",
  "unlink",
  "mkdir",
  "writeFile",
  "open",
] as const;
type Change = (...args: unknown[]) => unknown;
const changes = promises as unknown as Record<string, Change>;
const originals = CHANGES.map((name) => [name, changes[name]!] as const);

/** Every change of a file is a step, before which the process may be killed, also for modules that are loaded already. */
beforeAll(() => {
  for (const [name, change] of originals)
    changes[name] = (...args) => {
      steps.before();
      return change(...args);
    };
  syncBuiltinESMExports();
});

afterAll(() => {
  for (const [name, change] of originals) changes[name] = change;
  syncBuiltinESMExports();
});

/** Content as {@link makeStage} takes it. */
function toStaged(content: HomeContent) {
  const store: Record<string, StoreEntry[]> = {};
  const files: Record<string, string> = {};
  for (const [name, text] of Object.entries(content)) {
    const namespace = name.slice(0, name.indexOf(":"));
    if (name.includes(":")) (store[namespace] ??= []).push({ key: name, text });
    else files[name] = text;
  }
  return { store, files };
}

/** Does some work and gives the homes that would be found after a kill at each step of it, and at its end. */
async function takeImages(
  folder: string,
  work: (onWrite: () => void) => Promise<unknown>,
): Promise<string[]> {
  const images: string[] = [];
  const take = () => void images.push(copyHome(folder));
  steps.before = take;
  try {
    await work(take);
  } finally {
    steps.before = () => {};
  }
  take();
  onTestFinished(() => {
    for (const image of images) rmSync(image, { recursive: true, force: true });
  });
  return images;
}

test.each(cases(SCENARIOS))(
  "$mode of a store $place (fails: $fails) that is killed at any step leaves the old or the new, never a mixture",
  async (scenario) => {
    const { place, mode, fails } = scenario;
    const folder = await temporaryFolder();
    const home = openSmallHome(folder, place);

    const stored = await home.withWholeHome(async (wholeHome, engine) => {
      await fillHome(folder, engine, OLD);
      return takeImages(folder, async () => {
        const staged = mode === "merge" ? toMerge(STAGED) : STAGED;
        const stage = await makeStage(wholeHome, toStaged(staged));
        if (fails) {
          mkdirSync(`${stage}-old`);
          writeFileSync(join(`${stage}-old`, "data"), "in the way");
        }
        await wholeHome.replace({
          stage,
          mode,
          keepsSessions: false,
          note: {},
        });
      });
    });
    // What a kill leaves, and not what a clean stop does.
    const killed = copyHome(stored.at(-1)!);
    const carriedOut = await takeImages(killed, (onWrite) =>
      openSmallHome(killed, place, onWrite).finish(),
    );
    rmSync(killed, { recursive: true, force: true });
    // Kills while it continues after a kill, some of them.
    const again: string[] = [];
    for (const share of [0.2, 0.5, 0.8]) {
      const copy = copyHome(carriedOut.at(carriedOut.length * share)!);
      const images = await takeImages(copy, (onWrite) =>
        openSmallHome(copy, place, onWrite).finish(),
      );
      again.push(...images.filter((_image, at) => at % 4 === 1));
      rmSync(copy, { recursive: true, force: true });
    }

    const expected = expectedOf(scenario);
    let news = 0;
    for (const image of [...stored, ...carriedOut, ...again]) {
      const found = openSmallHome(image, place);
      const names = readdirSync(image, { recursive: true }) as string[];
      const isStored = names.some((name) =>
        /restore\/(replacement|result)\.json$/.test(name),
      );
      const result = await found.finish();
      if (result) expect(result.failure === null).toBe(!fails);
      expect(await found.read()).toEqual(isStored ? expected : OLD);
      expect(await found.finish()).toBeUndefined();
      if (isStored) news++;
    }
    // Most of it comes after the decision, or the test would show nothing.
    expect(news).toBeGreaterThan(20);
    expect(stored.length).toBeGreaterThan(20);
  },
);

test.each(cases([true, false]))(
  "a store that is damaged is replaced, or put back if that fails (fails: %s), at whatever step it is killed",
  async (fails) => {
    const folder = await temporaryFolder();
    const home = openSmallHome(folder, "in the home");
    await home.withWholeHome(async (wholeHome, engine) => {
      await fillHome(folder, engine, OLD);
      const stage = await makeStage(wholeHome, toStaged(STAGED));
      if (fails) {
        mkdirSync(`${stage}-old`);
        writeFileSync(join(`${stage}-old`, "data"), "in the way");
      }
      await wholeHome.replace({
        ...{ stage, mode: "replace", keepsSessions: true, note: {} },
      });
    });
    const database = join(folder, "store.sqlite");
    const garbage = "This is no database. ".repeat(999);
    writeFileSync(database, garbage);
    const images = await takeImages(folder, (onWrite) =>
      openSmallHome(folder, "in the home", onWrite).finish(),
    );
    expect(images.length).toBeGreaterThan(20);
    for (const image of images) {
      const found = openSmallHome(image, "in the home");
      const result = await found.finish();
      if (result) expect(result.failure === null).toBe(!fails);
      const file = join(image, "store.sqlite");
      if (fails) {
        expect(readFileSync(file, "utf8")).toBe(garbage);
        expect(readFileSync(join(image, "token"), "utf8")).toBe("old");
      } else
        expect(await found.read()).toEqual({
          ...STAGED,
          "data/other/kept.txt": "kept",
        });
    }
  },
);
