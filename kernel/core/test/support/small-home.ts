import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { tmpdir } from "node:os";
import type { Driver } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import type { WholeHome } from "@gantry/plugin";
import { homePaths } from "@gantry/system/home/home";
import { openEngine } from "@gantry/store/engine";
import type { Engine, EngineOperation } from "@gantry/store/engine";
import { createPlainDriver } from "@gantry/storage-unstorage";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { createFakeClock } from "../../../testing/src/index.ts";
import { finishReplacement } from "@gantry/restore/finish-replacement";
import { restoreFolder } from "@gantry/restore/replacement-files";
import { createWholeHome } from "@gantry/restore/whole-home";
import { parseSettings } from "../../src/config/config.ts";
import { createRecordingLog } from "../../../store/test/support/store.ts";

/** Where the store of a home is. */
export type StorePlace = "in the home" | "outside";

/** Everything that a replacement may change, by key or by path. */
export type HomeContent = Readonly<Record<string, string>>;

/** A home without a daemon: its store, its files, and what replaces them. */
export interface SmallHome {
  readonly folder: string;
  /** What went wrong, as it is logged. */
  readonly faults: string[];
  /** Opens the store for some work. */
  withEngine<Result>(
    work: (engine: Engine) => Promise<Result>,
  ): Promise<Result>;
  /** As a plugin has it. A replacement is stored and not carried out. */
  withWholeHome<Result>(
    work: (home: WholeHome, engine: Engine) => Promise<Result>,
  ): Promise<Result>;
  /** What a start does before it opens the store. */
  finish(): ReturnType<typeof finishReplacement>;
  read(): Promise<HomeContent>;
}

/**
 * Opens a home.
 *
 * @param onWrite Called before each change of the store: of a database when a rewrite hands one over, and when it is flushed.
 */
export function openSmallHome(
  folder: string,
  place: StorePlace,
  onWrite: () => void = () => {},
): SmallHome {
  const home = homePaths(folder);
  const restore = restoreFolder(home);
  const clock = createFakeClock();
  const log = createRecordingLog();
  const audit = { record: () => Promise.resolve() };

  async function openStore(): Promise<Engine> {
    if (place === "in the home") {
      const driver = createSqliteDriver(home.database, async () => onWrite());
      const rewrite: typeof driver.rewrite = (work) =>
        driver.rewrite((write) =>
          work((operations) => {
            onWrite();
            return write(operations);
          }),
        );
      return openEngine({ ...driver, rewrite });
    }
    // In the folder all the same, so that an image of the one is an image of the other.
    const driver = fsLite({ base: join(folder, "outside") });
    const noticed: Driver = {
      ...driver,
      setItem(...args) {
        onWrite();
        return driver.setItem?.(...args);
      },
      removeItem(...args) {
        onWrite();
        return driver.removeItem?.(...args);
      },
    };
    return openEngine(await createPlainDriver(noticed));
  }

  async function withEngine<Result>(
    work: (engine: Engine) => Promise<Result>,
  ): Promise<Result> {
    const engine = await openStore();
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }

  return {
    folder,
    get faults() {
      return log.lines
        .filter(({ level }) => level === "error")
        .map(({ message }) => message);
    },
    withEngine,
    withWholeHome: (work) =>
      withEngine((engine) => {
        const wholeHome = createWholeHome({
          home,
          restore,
          audit,
          version: "1",
          storage: place === "in the home" ? "sqlite" : { driver: "outside" },
          parseConfig: parseSettings,
          engine: () => engine,
          plugins: () => ({}),
          recordVersions: () => ({}),
          rehearse: () => Promise.reject(new Error("Not here.")),
          neededBy: () => new Set(),
          carryOut: async ({ prepare }) => void (await prepare()),
        });
        const { signal } = new AbortController();
        return work(wholeHome({ id: "keeper", signal }), engine);
      }),
    finish: () =>
      finishReplacement({
        ...{ home, restore, clock, log, audit },
        isInHome: place === "in the home",
        openStore,
      }),
    read: () =>
      withEngine(async (engine) => {
        const keys = (await engine.keys("")).filter(
          (key) => !key.startsWith("kernel:event-floor"),
        );
        const values = await engine.getMany(keys);
        return Object.fromEntries([
          ...keys.map((key, at) => [key, JSON.stringify(values[at])]),
          ...filesBelow(folder, ["data", "token", "config.json"]),
        ]) as HomeContent;
      }),
  };
}

/** Writes entries and files of a home that is new. What is written while the store is open lies in its log after a kill. */
export async function fillHome(
  folder: string,
  engine: Engine,
  content: HomeContent,
): Promise<void> {
  const entries: EngineOperation[] = [];
  for (const [name, value] of Object.entries(content)) {
    if (name.includes(":")) entries.push({ type: "set", key: name, value });
    else {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, value);
    }
  }
  await engine.commit(entries);
}

/** Copies a home as it would be found if the process was killed now. */
export function copyHome(folder: string): string {
  const image = mkdtempSync(join(tmpdir(), "gantry-image-"));
  cpSync(folder, image, { recursive: true });
  return image;
}

function filesBelow(
  folder: string,
  names: readonly string[],
): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) =>
      names.includes(relative(folder, file).split("/")[0] ?? ""),
    )
    .map((file): [string, string] => [
      relative(folder, file),
      readFileSync(file, "utf8"),
    ]);
}
