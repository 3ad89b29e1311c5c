/**
 * The repository on GitHub that an address of a remote names, as `gh` takes it. Others get no credential of the user's: the
 * repository's author chose the address.
 */
export function toPlace(remote: string): string | undefined {
  const [, host, owner, name] =
    /^(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([\w.-]+)(?::\d+)?[:/]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/i.exec(
      remote,
    ) ?? [];
  if (
    !host ||
    !owner ||
    !name ||
    [owner, name].some((part) => /^[-.]/.test(part))
  )
    return undefined;
  const known = host.toLowerCase();
  const isGitHub = known === "github.com" || known.endsWith(".ghe.com");
  return isGitHub || known === process.env["GH_HOST"]?.toLowerCase()
    ? `${known}/${owner}/${name}`
    : undefined;
}

/** Whether two are the same repository. GitHub does not distinguish case. */
export function isSamePlace(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Name of the host of a repository. */
export function hostOf(place: string): string {
  return place.split("/")[0] ?? "";
}

/** Whose a repository is. */
export function ownerOf(place: string): string {
  return place.split("/")[1] ?? "";
}

/** What an address leads to in a repository, such as `pull/7`; `undefined` if it leads elsewhere. */
export function pathIn(place: string, address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, pathname, username } = new URL(address);
  const found = `${host}${pathname}`;
  return protocol === "https:" &&
    username === "" &&
    isSamePlace(found.slice(0, place.length + 1), `${place}/`)
    ? found.slice(place.length + 1)
    : undefined;
}
