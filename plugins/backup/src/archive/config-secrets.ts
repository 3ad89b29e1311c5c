/** Names of settings whose values are secrets, written in any of the usual ways. */
const SECRET_NAME =
  /(^|[_-])(api[_-]?key|(access|private|secret|signing)[_-]?key|auth|authorization|cookie|credentials?|pass(phrase|wd|word)?|pwd|secret)s?($|[_-])|(^|[_-])tokens?($|[_-])/i;
/** An address with a user or a password in it. */
const ADDRESS_WITH_USER = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*@/i;
/** An address whose query says that it is one. */
const ADDRESS_WITH_SECRET =
  /[?&](access_token|api_?key|key|password|secret|sig|signature|token)=/i;
const MAX_WITHHELD = 1_000;

/** A configuration without its secrets. */
export interface PublicConfig {
  text: string;
  /** Where something was taken out, as JSON pointers. */
  withheld: string[];
}

/** Takes secrets out of a `config.json`; `undefined` if secrets cannot be distinguished. */
export function withholdSecrets(text: string): PublicConfig | undefined {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(config)) return undefined;
  const withheld: string[] = [];
  clean(config, "", withheld);
  if (withheld.length > MAX_WITHHELD) return undefined;
  return { text: `${JSON.stringify(config, null, 2)}\n`, withheld };
}

/** Puts settings that were withheld back, as far as the configuration of now has them. */
export function fillWithheld(
  text: string,
  withheld: readonly string[],
  current: string,
): string {
  let source: unknown;
  try {
    source = JSON.parse(current);
  } catch {
    return text;
  }
  const config: unknown = JSON.parse(text);
  for (const pointer of withheld) {
    const path = pointer
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const value = path.reduce<unknown>(member, source);
    const parent = path.slice(0, -1).reduce<unknown>(member, config);
    const name = path.at(-1);
    if (value === undefined || name === undefined || !isObject(parent))
      continue;
    Object.defineProperty(parent, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return `${JSON.stringify(config, null, 2)}\n`;
}

type Members = Record<string, unknown>;

function clean(parent: Members, path: string, withheld: string[]): void {
  for (const [name, value] of Object.entries(parent)) {
    const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
    const pointer = `${path}/${escaped}`;
    if (isSecret(name, value)) {
      withheld.push(pointer);
      // In a list the others keep their places.
      if (Array.isArray(parent)) parent[Number(name)] = null;
      else delete parent[name];
    } else if (isObject(value)) clean(value, pointer, withheld);
  }
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null || typeof value === "boolean") return false;
  if (typeof value === "string") {
    if (ADDRESS_WITH_USER.test(value) || ADDRESS_WITH_SECRET.test(value))
      return true;
    // What names a place, such as the file of a key, is no secret.
    if (value.startsWith("/")) return false;
  }
  return SECRET_NAME.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2"));
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name)
    ? value[name]
    : undefined;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}
