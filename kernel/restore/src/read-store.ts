import type { StoreEntry, StoreImage, StoreNamespace } from "@gantry/plugin";
import { readImagePages } from "@gantry/store/engine-image";
import type { EngineImage } from "@gantry/store/engine-image";
import { keyRange } from "@gantry/store/key-range";
import { isContent } from "./kept-keys.ts";

/**
 * Gives an image of the store by namespaces.
 *
 * @param signal Closes it; what is being read rejects with its reason.
 */
export function toStoreImage(
  image: EngineImage,
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

  const watched: EngineImage = {
    close,
    async read(...range) {
      signal.throwIfAborted();
      try {
        return await image.read(...range);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
  };
  return { namespaces: readNamespaces(watched), close };
}

/** Reads all that is content, without namespaces that have none. */
export async function* readNamespaces(
  image: EngineImage,
): AsyncGenerator<StoreNamespace, void, void> {
  for (let from = ""; ;) {
    const [first] = await image.read({ ...keyRange(""), from }, 1);
    if (!first) return;
    const end = first.key.indexOf(":");
    const name = first.key.slice(0, end);
    // Behind it come the keys that begin with the character after the colon.
    from = end > 0 ? `${name};` : `${first.key}\u0000`;
    if (end <= 0) continue;
    const pages = readContent(image, name);
    const begun = await pages.next();
    if (begun.done) continue;
    yield { name, entries: startWith(begun.value, pages) };
  }
}

async function* readContent(
  image: EngineImage,
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
