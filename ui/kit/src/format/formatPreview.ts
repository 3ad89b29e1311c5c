const READ = 600;
const SHOWN = 180;

/**
 * The first words of a Markdown text as plain text on one line, for a row of a list. It is to be shown as text, so that it
 * need not be exact.
 */
export function formatPreview(markdown: string): string {
  const line = markdown
    .slice(0, READ)
    .replace(/^\s*(`{3,}|~{3,}).*$/gm, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d{1,9}[.)])\s+/gm, "")
    .replace(/^\s*\|?[\s:|-]*-{3}[\s:|-]*$/gm, " ")
    .replace(
      /\\([!-/:-@[-`{-~])|\*\*|__|~~|[*`|\\]/g,
      (_mark, escaped: string | undefined) => escaped ?? "",
    )
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1).trimEnd()}…`;
}
