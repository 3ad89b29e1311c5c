import { Refusal } from "./refusal.ts";
import { toArticle, toPlural, toSingular } from "./words.ts";

/** What a plugin and the things in it are called, each in kebab-case. */
export interface Names {
  /** Of the plugin: its folder, its paths, its prefix in the store. */
  plugin: string;
  /** One of the things that it keeps. */
  thing: string;
  /** Several of them. */
  things: string;
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** The kernel takes no longer ids. */
const MAX_LENGTH = 40;

/** The template's code has these names already: from the language, the contract and the kit. */
const IN_THE_CODE = new Set([
  "array",
  "empty-state",
  "error",
  "form-field",
  "form-problem",
  "loading-state",
  "local-time",
  "page-shell",
  "promise",
  "resource-view",
  "row-item",
  "row-list",
  "section-card",
  "store",
]);

/**
 * Decides all names from the id: `bookmarks` keeps a bookmark, `reading-list` a reading list.
 *
 * @param singular What one thing is called, where the id does not tell.
 * @throws Refusal if a name is not kebab-case, too long, or one that the plugin's own code has.
 */
export function toNames(id: string, singular?: string): Names {
  checkKebab(id, "the id of a plugin");
  if (singular !== undefined)
    checkKebab(singular, "the name of what a plugin keeps");
  const thing = singular ?? changeLastWord(id, toSingular) ?? id;
  const things =
    singular === undefined && thing !== id
      ? id
      : (changeLastWord(thing, toPlural) ?? thing);
  if (IN_THE_CODE.has(thing)) {
    throw new Refusal(
      `"${thing}" is a name that the code of every plugin has already; say with --singular what it keeps.`,
    );
  }
  return { plugin: id, thing, things };
}

function checkKebab(name: string, what: string): void {
  if (KEBAB.test(name) && name.length <= MAX_LENGTH) return;
  const example = toKebab(name);
  throw new Refusal(
    `"${name}" is not ${what}: small letters, digits and single hyphens, from a letter on, at most ${MAX_LENGTH}${
      KEBAB.test(example) && example !== name ? `, such as ${example}` : ""
    }.`,
  );
}

function toKebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[-0-9]+|-+$/g, "")
    .slice(0, MAX_LENGTH)
    .replace(/-+$/, "");
}

function changeLastWord(
  name: string,
  change: (word: string) => string | undefined,
): string | undefined {
  const start = name.lastIndexOf("-") + 1;
  const word = change(name.slice(start));
  return word === undefined ? undefined : name.slice(0, start) + word;
}

/** How a name is spelt in the template, and how in its place in a plugin. */
const SPELLINGS: readonly [
  mark: (name: keyof Names) => string,
  spell: (name: string) => string,
][] = [
  [(name) => `my-${name}`, (name) => name],
  [(name) => `my ${name}`, toText],
  [(name) => `My ${name}`, (name) => capitalize(toText(name))],
  [(name) => `my${capitalize(name)}`, toCamel],
  [(name) => `My${capitalize(name)}`, (name) => capitalize(toCamel(name))],
  [
    (name) => `MY_${name.toUpperCase()}`,
    (name) => name.toUpperCase().replaceAll("-", "_"),
  ],
];

/**
 * Puts names into a text of the template, in place of its marks: `my-plugin`, `my-thing` and `my-things` in every
 * spelling, such as `MyThings`, `MY_PLUGIN` or `a my thing`.
 */
export function fillNames(template: string, names: Names): string {
  const places = new Map<string, string>();
  for (const [mark, spell] of SPELLINGS) {
    // The longer one first, since the other is a part of it.
    for (const name of ["plugin", "things", "thing"] as const)
      places.set(mark(name), spell(names[name]));
  }
  const marks = new RegExp(
    `(?:\\b([Aa]) )?(${[...places.keys()].join("|")})`,
    "g",
  );
  return template.replace(
    marks,
    (_whole, article: string | undefined, mark: string) => {
      const name = places.get(mark) ?? mark;
      if (article === undefined) return name;
      const spoken = toArticle(name.toLowerCase());
      return `${article === "A" ? capitalize(spoken) : spoken} ${name}`;
    },
  );
}

/** A name as words: `reading-list` is `reading list`. */
export function toText(name: string): string {
  return name.replaceAll("-", " ");
}

function toCamel(name: string): string {
  return name.replace(/-(.)/g, (_hyphen, letter: string) =>
    letter.toUpperCase(),
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
