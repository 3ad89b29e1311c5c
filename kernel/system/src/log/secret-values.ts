/** Shorter values are words, and would be found in everything. */
const MIN_SECRET_LENGTH = 8;

const SECRET_NAME =
  /(^|[_-])(api[_-]?key|(access|private|secret)[_-]?key|auth|authorization|cookie|credentials?|pass(phrase|wd|word)?|pwd|secret)s?($|[_-])|(^|[_-])token($|[_-])/i;

/** Whether a variable, setting or field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/([a-z0-9])([A-Z])/g, "$1_$2"));
}

/** The values behind the names that say that they hold a secret, however deep they are. */
export function secretValuesOf(settings: object): string[] {
  const found = new Set<string>();
  const walk = (value: unknown, isSecret: boolean): void => {
    if (typeof value === "string") {
      // What names a place, such as a socket, is no secret.
      if (
        isSecret &&
        value.length >= MIN_SECRET_LENGTH &&
        !value.startsWith("/")
      )
        found.add(value);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value))
        walk(inner, isSecret || isSecretName(name));
    }
  };
  walk(settings, false);
  return [...found];
}
