import type { StoreEntry } from "@gantry/plugin";

/** Characters of overwritten values that are kept for an image at most. One that would need more fails. */
const MAX_ASIDE_LENGTH = 32 * 1024 * 1024;

/** What to read: keys from `from` to before `to`, from one end, until there are enough entries or characters. */
export interface TextRange {
  from: string;
  to: string;
  limit: number;
  reverse?: boolean;
  maxLength?: number;
}

/** All entries as they were at one moment. They are read in ascending order: what lies before an entry that was read is given up. */
interface Image {
  readRange(range: TextRange): Promise<StoreEntry[]>;
  close(): void;
}

interface KeepingImage extends Image {
  keep(key: string): Promise<void>;
}

/**
 * Makes images of a storage that has none itself, by keeping aside what is overwritten while one is open.
 *
 * @param getText Gives what lies under a key; `undefined` for nothing.
 */
export function createKeptAside(
  getText: (key: string) => Promise<string | undefined>,
) {
  const images = new Set<KeepingImage>();

  return {
    /** Opens an image of what lies under all keys, given in ascending order. Nothing may be written until it is open. */
    open(keys: readonly string[]): Image {
      const image = createKeepingImage(new Set(keys), getText, () =>
        images.delete(image),
      );
      images.add(image);
      return image;
    },
    /** Keeps what lies under a key for the images that are open. To be called before it is written or removed. */
    async keep(key: string): Promise<void> {
      for (const image of [...images]) await image.keep(key);
    },
  };
}

/** @param keys Those that were not read yet, in ascending order. */
function createKeepingImage(
  keys: Set<string>,
  getText: (key: string) => Promise<string | undefined>,
  onEnd: () => void,
): KeepingImage {
  /** Old values, until they are read. */
  const aside = new Map<string, string | undefined>();
  let length = 0;
  let ended: Error | undefined;

  function end(reason: Error): void {
    if (ended) return;
    ended = reason;
    aside.clear();
    onEnd();
  }

  /** Lets go of what lies before a key, which is not read any more. */
  function forgetBefore(from: string): void {
    for (const key of keys) {
      if (key >= from) return;
      keys.delete(key);
      length -= aside.get(key)?.length ?? 0;
      aside.delete(key);
    }
  }

  async function textOf(key: string): Promise<string | undefined> {
    if (aside.has(key)) return aside.get(key);
    const text = await getText(key);
    if (ended) throw ended;
    // It may have been overwritten meanwhile: then what was there before is aside by now.
    return aside.has(key) ? aside.get(key) : text;
  }

  return {
    async readRange({ from, to, limit, maxLength = Infinity }) {
      if (ended) throw ended;
      forgetBefore(from);
      const entries: StoreEntry[] = [];
      let pageLength = 0;
      for (const key of keys) {
        if (key >= to) break;
        const text = await textOf(key);
        if (text === undefined) continue;
        entries.push({ key, text });
        pageLength += text.length;
        if (entries.length >= limit || pageLength >= maxLength) break;
      }
      return entries;
    },
    async keep(key) {
      if (!keys.has(key) || aside.has(key)) return;
      try {
        const text = await getText(key);
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
    close: () => end(new Error("The image is closed.")),
  };
}
