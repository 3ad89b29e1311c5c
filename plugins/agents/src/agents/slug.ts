/** A folder name made of a name that users gave: lower-case letters, digits and dashes; never empty, never hidden. */
export function toSlug(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 48)
    .replace(/-+$/, "");
  return slug || "agent";
}
