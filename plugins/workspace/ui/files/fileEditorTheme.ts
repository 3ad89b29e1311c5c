import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** How the editor looks: the colours of the page, so that it follows light and dark by itself. */
const looks = EditorView.theme({
  "&": {
    height: "100%",
    fontSize: "0.8125rem",
    color: "var(--ui-text)",
    backgroundColor: "transparent",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    lineHeight: "1.6",
    overflow: "auto",
  },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--ui-primary)" },
  ".cm-cursor": { borderLeftColor: "var(--ui-primary)" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--ui-text-muted)",
    border: "none",
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.75rem 0 1rem" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor:
      "color-mix(in oklab, var(--ui-bg-elevated) 55%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {
      backgroundColor:
        "color-mix(in oklab, var(--ui-primary) 22%, transparent)",
    },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "color-mix(in oklab, var(--ui-primary) 18%, transparent)",
    color: "inherit",
  },
  ".cm-specialChar": { color: "var(--ui-error)" },
  ".cm-searchMatch": {
    backgroundColor: "color-mix(in oklab, var(--ui-warning) 30%, transparent)",
  },
  ".cm-searchMatch-selected": {
    backgroundColor: "color-mix(in oklab, var(--ui-warning) 60%, transparent)",
  },
  ".cm-panels": {
    backgroundColor: "var(--ui-bg-muted)",
    color: "var(--ui-text)",
    borderColor: "var(--ui-border)",
  },
  ".cm-panel.cm-search": { padding: "0.5rem", fontSize: "0.75rem" },
  ".cm-textfield": {
    backgroundColor: "var(--ui-bg)",
    border: "1px solid var(--ui-border-accented)",
    borderRadius: "0.375rem",
    color: "var(--ui-text)",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--ui-bg-elevated)",
    border: "1px solid var(--ui-border-accented)",
    borderRadius: "0.375rem",
    color: "var(--ui-text)",
  },
});

const words = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: "var(--ui-text-muted)" },
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier],
    color: "var(--ui-primary)",
  },
  {
    tag: [tags.string, tags.regexp, tags.special(tags.string)],
    color: "var(--ui-success)",
  },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom],
    color: "var(--ui-warning)",
  },
  {
    tag: [tags.tagName, tags.heading, tags.definition(tags.variableName)],
    color: "var(--ui-text-highlighted)",
    fontWeight: "600",
  },
  {
    tag: [tags.typeName, tags.className, tags.attributeName],
    color: "var(--ui-info)",
  },
  { tag: tags.inserted, color: "var(--ui-success)" },
  { tag: [tags.deleted, tags.invalid], color: "var(--ui-error)" },
]);

export const fileEditorTheme = [looks, syntaxHighlighting(words)];
