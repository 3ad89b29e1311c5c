import type { StoreEntry } from "@gantry/plugin";
import type { EngineImage } from "./engine-image.ts";
import { MAX_PAGE_LENGTH } from "./engine-image.ts";

/** Characters of overwritten values that are kept for an image at most. One that would need more fails. */
const MAX_ASIDE_LENGTH = 32 * 1024 * 1024;

/** What images need of a storage. */
export interface ImageStorage {
  /** All keys, in ascending order. */
  keys(): Promise<string[]>;
  /** What lies under a key, as text; `undefined` for nothing. */
  text(key: string): Promise<string | undefined>;
}

/** Images of a storage that has none itself. */
export interface KeptAside {
  /** Opens an image of what is there now. Nothing may be written until it resolves. */
  open(): Promise<EngineImage>;
  /** Keeps what lies under a key for the images that are open. To be called before it is written or removed. */
  keep(key: string): Promise<void>;
}

/** Makes images by keeping aside what is overwritten while one is open. */
export function createKeptAside(storage: ImageStorage): KeptAside {
  const images = new Set<KeepingImage>();
  return {
    async open() {
      const image = createKeepingImage(storage, await storage.keys(), () =>
        images.delete(image),
      );
      images.add(image);
      return image;
    },
    async keep(key) {
      for (const image of [...images]) await image.keep(key);
    },
  };
}

interface KeepingImage extends EngineImage {
  keep(key: string): Promise<void>;
}

function createKeepingImage(
  storage: ImageStorage,
  keys: readonly string[],
  onEnd: () => void,
): KeepingImage {
  /** Old values, until they are read. */
  const aside = new Map<string, string | undefined>();
  let length = 0;
  /** Keys before this place in the list were read. */
  let read = 0;
  let ended: Error | undefined;

  function end(reason: Error): void {
    if (ended) return;
    ended = reason;
    aside.clear();
    onEnd();
  }

  const forget = (key: string) => {
    length -= aside.get(key)?.length ?? 0;
    aside.delete(key);
  };

  async function textOf(key: string): Promise<string | undefined> {
    if (aside.has(key)) return aside.get(key);
    const text = await storage.text(key);
    if (ended) throw ended;
    // It may have been overwritten meanwhile: then what was there before is aside by now.
    return aside.has(key) ? aside.get(key) : text;
  }

  return {
    async read({ from, to }, limit) {
      if (ended) throw ended;
      const entries: StoreEntry[] = [];
      let pageLength = 0;
      let at = firstAtLeast(keys, from);
      for (const key of keys.slice(read, at)) forget(key);
      read = Math.max(read, at);
      for (; entries.length < limit && pageLength < MAX_PAGE_LENGTH; at++) {
        const key = keys[at];
        if (key === undefined || key >= to) break;
        const text = await textOf(key);
        if (text === undefined) continue;
        entries.push({ key, text });
        pageLength += text.length;
      }
      return entries;
    },
    async keep(key) {
      const at = firstAtLeast(keys, key);
      if (keys[at] !== key || at < read || aside.has(key)) return;
      try {
        const text = await storage.text(key);
        if (ended) return;
        aside.set(key, text);
        length += text?.length ?? 0;
        if (length > MAX_ASIDE_LENGTH)
          end(new Error("Too much was overwritten while the image was open."));
      } catch (error) {
        // The write that is to follow is worth more than the image.
        end(error as Error);
      }
    },
    close() {
      end(new Error("The image is closed."));
      return Promise.resolve();
    },
  };
}

/** The place of the first key that is not before another. */
function firstAtLeast(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
