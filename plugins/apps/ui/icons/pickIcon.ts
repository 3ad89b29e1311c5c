import type { IconCollection } from "@gantry/ui-kit";
import lucide from "@iconify-json/lucide/icons.json";

/** An icon of Lucide, as a collection of one; nothing if there is no such icon. */
export function pickIcon(name: string): IconCollection | undefined {
  const set: IconSet = lucide;
  const icon = find(set, name);
  if (!icon) return undefined;
  const { prefix, width, height } = set;
  return { prefix, width, height, icons: { [name]: icon } };
}

interface IconSet extends IconCollection {
  aliases?: Record<string, { parent: string }>;
}

function find(
  { icons, aliases = {} }: IconSet,
  name: string,
): IconCollection["icons"][string] | undefined {
  if (Object.hasOwn(icons, name)) return icons[name];
  const parent = Object.hasOwn(aliases, name)
    ? aliases[name]?.parent
    : undefined;
  return parent === undefined ? undefined : icons[parent];
}
