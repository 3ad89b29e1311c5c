import type { Block } from "../wire.ts";

/** A block with what it is known by. */
export interface KeyedBlock<Shown extends Block = Block> {
  /** Stays the same while the page loads again, so that the block keeps its state. */
  key: string;
  /** Names its part of the page's address. */
  name: string;
  block: Shown;
}

/**
 * Names blocks, so that each is recognized after the page was loaded again, also when a block before it came or went. Titles
 * are left out: they often hold numbers that change.
 */
export function keyBlocks<Shown extends Block>(
  blocks: readonly Shown[],
  parent: Pick<KeyedBlock, "key" | "name"> = { key: "", name: "" },
): KeyedBlock<Shown>[] {
  const count = createCounter();
  const within = (outer: string, own: string) =>
    outer === "" ? own : `${outer}.${own}`;
  return blocks.map((block) => {
    const signature = signatureOf(block);
    const name = block.type + suffix(count(block.type));
    const key = signature + suffix(count(signature));
    return {
      key: within(parent.key, key),
      name: within(parent.name, name),
      block,
    };
  });
}

function createCounter(): (text: string) => number {
  const counts = new Map<string, number>();
  return (text) => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count;
  };
}

const suffix = (count: number) => (count === 1 ? "" : `-${count}`);

function signatureOf(block: Block): string {
  // A space cannot be in a type, so that no signature is a type.
  switch (block.type) {
    case "form":
      return `form ${block.action}`;
    case "list":
    case "table":
      return `${block.type} ${block.columns.map(({ key }) => key).join(" ")}`;
    case "tabs":
      return `tabs ${block.tabs.map(({ name }) => name).join(" ")}`;
    default:
      return `${block.type} `;
  }
}
