import { createStorage } from "unstorage";
import type { Driver } from "unstorage";
import type { StoreEntry } from "@gantry/plugin";
import { createJournal } from "./journal.ts";
import { createKeptAside } from "./kept-aside.ts";
import type { TextRange } from "./kept-aside.ts";
import { toText } from "./stored-text.ts";

/**
 * Makes a driver of the kernel's store of a driver that can only read, write and list: ranges are cut out of its list of
 * keys, a batch is written ahead into a journal that is replayed after a crash, and an image keeps aside what is overwritten.
 */
export async function createPlainDriver(driver: Driver) {
  const storage = createStorage({ driver });
  // Asked directly: unstorage's own reading drops some fields and takes texts for numbers.
  const getText = async (key: string) => toText(await driver.getItem(key));
  // Its `getKeys` takes whole parts only for a prefix.
  const getKeys = async (prefix: string) =>
    (await storage.getKeys()).filter((key) => key.startsWith(prefix)).sort();
  const images = createKeptAside(getText);
  const journal = createJournal({
    getText,
    getKeys,
    async set(key, text) {
      await images.keep(key);
      await storage.setItem(key, text);
    },
    async remove(key) {
      await images.keep(key);
      await storage.removeItem(key);
    },
  });
  await journal.replay();
  return {
    hasItem: async (key: string) => (await getText(key)) !== undefined,
    getItem: async (key: string) => (await getText(key)) ?? null,
    getKeys,
    getTexts: (keys: readonly string[]) => Promise.all(keys.map(getText)),
    async readRange({ from, to, limit, reverse }: TextRange) {
      const keys = await getKeys("");
      const inRange = keys.filter((key) => key >= from && key < to);
      if (reverse) inRange.reverse();
      const entries = await Promise.all(
        inRange
          .slice(0, limit)
          .map(async (key) => ({ key, text: await getText(key) })),
      );
      return entries.filter(
        (entry): entry is StoreEntry => entry.text !== undefined,
      );
    },
    commit: journal.commit,
    rewrite: journal.rewrite,
    openImage: () => journal.alone(async () => images.open(await getKeys(""))),
    dispose: () => storage.dispose(),
  };
}
