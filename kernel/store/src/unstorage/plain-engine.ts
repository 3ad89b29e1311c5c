import { createStorage } from "unstorage";
import type { Driver } from "unstorage";
import type { StoreEntry } from "@gantry/plugin";
import type { ScanOptions } from "../key-range.ts";
import { refuse } from "../storage-error.ts";
import { parseValue, toOperations, toText } from "../stored-value.ts";
import type { EngineOperation, Entry } from "../stored-value.ts";
import { createJournal } from "./journal.ts";
import { createKeptAside } from "./kept-aside.ts";

/** Makes a store of an unstorage driver that can only read, write and list. Every range lists all its keys. */
export async function openPlainEngine(driver: Driver) {
  const storage = createStorage({ driver });
  // Asked directly: unstorage's own reading drops some fields and takes texts for numbers.
  const get = async (key: string) => parseValue(await driver.getItem(key));
  const getText = async (key: string) => toText(await driver.getItem(key));
  // Its `getKeys` takes whole parts only for a prefix.
  const keys = async (prefix: string) =>
    (await storage.getKeys()).filter((key) => key.startsWith(prefix)).sort();
  const images = createKeptAside(getText);
  const journal = createJournal({
    get,
    keys,
    async set(key, value) {
      await images.keep(key);
      await storage.setItem(key, value);
    },
    async remove(key) {
      await images.keep(key);
      await storage.removeItem(key);
    },
  });
  await journal.replay();
  const commit = (operations: readonly EngineOperation[]) =>
    journal.commit(operations).catch(refuse);
  return {
    get,
    keys,
    getMany: (wanted: readonly string[]) => Promise.all(wanted.map(get)),
    getTexts: (wanted: readonly string[]) => Promise.all(wanted.map(getText)),
    async scan({ from, to, limit, reverse }: ScanOptions) {
      const inRange = (await keys("")).filter((key) => key >= from && key < to);
      if (reverse) inRange.reverse();
      const entries = await Promise.all(
        inRange
          .slice(0, limit)
          .map(async (key) => ({ key, value: await get(key) })),
      );
      return entries.filter(
        (entry): entry is Entry => entry.value !== undefined,
      );
    },
    commit,
    openImage: () =>
      journal.alone(async () => images.open(await keys(""))).catch(refuse),
    putTexts: (entries: readonly StoreEntry[], removed: readonly string[]) =>
      commit(toOperations(entries, removed)),
    close: () => storage.dispose(),
  };
}
