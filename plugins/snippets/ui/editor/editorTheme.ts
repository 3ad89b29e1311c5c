import { EditorView } from "@codemirror/view";

const pill = {
  borderRadius: "0.25rem",
  padding: "0.05em 0",
  boxDecorationBreak: "clone",
};
const tinted = (color: string, share: number) =>
  `color-mix(in oklab, ${color} ${share}%, transparent)`;

/** How the editor looks: the colours of the page, so that it follows light and dark by itself. */
export const editorTheme = EditorView.theme({
  "&": {
    minHeight: "14rem",
    maxHeight: "min(34rem, 70dvh)",
    fontSize: "0.8125rem",
    color: "var(--ui-text-highlighted)",
    backgroundColor: "transparent",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    lineHeight: "1.6",
    minHeight: "14rem",
    overflow: "auto",
  },
  ".cm-content": { padding: "0.75rem 0", caretColor: "var(--ui-primary)" },
  ".cm-line": { padding: "0 0.875rem" },
  ".cm-placeholder": { color: "var(--ui-text-dimmed)" },
  ".cm-specialChar": { color: "var(--ui-error)" },
  ".cm-snippet-asked": {
    ...pill,
    color: "var(--ui-primary)",
    backgroundColor: tinted("var(--ui-primary)", 10),
    boxShadow: `0 0 0 1px ${tinted("var(--ui-primary)", 28)}`,
  },
  ".cm-snippet-standard": {
    ...pill,
    color: "var(--ui-success)",
    backgroundColor: tinted("var(--ui-success)", 10),
    boxShadow: `0 0 0 1px ${tinted("var(--ui-success)", 28)}`,
  },
  ".cm-snippet-reserved": {
    ...pill,
    color: "var(--ui-text-toned)",
    backgroundColor: "var(--ui-bg-elevated)",
    boxShadow: "0 0 0 1px var(--ui-border-accented)",
  },
  ".cm-snippet-problem": {
    textDecoration: "underline wavy var(--ui-error)",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "0.25em",
    backgroundColor: tinted("var(--ui-error)", 10),
  },
});
