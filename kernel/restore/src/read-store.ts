import type { StoreEntry, StoreImage, StoreNamespace } from "@gantry/plugin";
import type { Engine } from "@gantry/store/engine";
import { readImagePages } from "@gantry/store/scan-pages";
import { keyRange } from "@gantry/store/key-range";
import { readEventPlace, toFloor } from "@gantry/store/store-core";
import type { RangeImage, TextOperation } from "@gantry/store/range-driver";
import { isContent, listKeptPrefixes, machinePrefixOf } from "./kept-keys.ts";
import { toSet } from "./stage-lines.ts";

/** Gives an image of the store by namespaces. @param signal Closes it; what is being read rejects with its reason. */
export function toStoreImage(
  image: RangeImage,
  signal: AbortSignal,
): StoreImage {
  async function close(): Promise<void> {
    signal.removeEventListener("abort", closeAborted);
    await image.close();
  }
  // A fault of the storage while the image is released affects no caller.
  const closeAborted = () => void close().catch(() => {});
  if (signal.aborted) closeAborted();
  else signal.addEventListener("abort", closeAborted);

  const watched: RangeImage = {
    close,
    async readRange(range) {
      signal.throwIfAborted();
      try {
        return await image.readRange(range);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
  };
  return { namespaces: readNamespaces(watched), close };
}

/** Reads what a replacement leaves as it is, and the newest number of an event, as what writes it into another store. */
export async function readKept(
  engine: Engine,
  keepsSessions: boolean,
): Promise<TextOperation[]> {
  const { newest } = await readEventPlace(engine);
  const kept = listKeptPrefixes(keepsSessions);
  const operations: TextOperation[] = [];
  const image = await engine.openImage();
  try {
    for await (const name of findNamespaces(image)) {
      const own = kept.filter((prefix) => prefix.startsWith(`${name}:`));
      for (const prefix of [...own, machinePrefixOf(name)].sort())
        for await (const page of readImagePages(image, keyRange(prefix)))
          operations.push(...page.map(toSet));
    }
  } finally {
    await image.close();
  }
  return [...operations, toFloor(newest, "")];
}

/** Names of the namespaces, each before what is in it. */
async function* findNamespaces(
  image: RangeImage,
): AsyncGenerator<string, void, void> {
  for (let from = ""; ;) {
    const { to } = keyRange("");
    const next = { from, to, limit: 1, reverse: false };
    const [first] = await image.readRange(next);
    if (!first) return;
    const end = first.key.indexOf(":");
    const name = first.key.slice(0, end);
    // Behind it come the keys that begin with the character after the colon.
    from = end > 0 ? `${name};` : `${first.key}\u0000`;
    if (end > 0) yield name;
  }
}

/** Reads all that is content, without namespaces that have none. */
async function* readNamespaces(
  image: RangeImage,
): AsyncGenerator<StoreNamespace, void, void> {
  for await (const name of findNamespaces(image)) {
    const pages = readContent(image, name);
    const begun = await pages.next();
    if (begun.done) continue;
    yield { name, entries: startWith(begun.value, pages) };
  }
}

async function* readContent(
  image: RangeImage,
  name: string,
): AsyncGenerator<StoreEntry[], void, void> {
  for await (const page of readImagePages(image, keyRange(`${name}:`))) {
    const content = page.filter(({ key }) => isContent(key));
    if (content.length > 0) yield content;
  }
}

async function* startWith<Item>(
  first: Item,
  rest: AsyncIterable<Item>,
): AsyncGenerator<Item, void, void> {
  yield first;
  yield* rest;
}
