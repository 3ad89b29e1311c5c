import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
} from "@codemirror/commands";
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  StreamLanguage,
} from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { fileEditorTheme } from "./fileEditorTheme.ts";
import { languageOf } from "./languageOf.ts";

/** What an editor of a file is made with. */
export interface FileEditorOptions {
  parent: HTMLElement;
  path: string;
  text: string;
  changed: (text: string) => void;
  save: () => void;
}

/** An editor of a file. Its module is large, so it is loaded when it is needed. */
export interface FileEditor {
  /** Shows another text in place of all of it. */
  setText(text: string): void;
  focus(): void;
  destroy(): void;
}

/** Makes an editor of a file inside an element. Escape, then Tab, leaves it for those who work with keys. */
export function createFileEditor(options: FileEditorOptions): FileEditor {
  const language = new Compartment();
  let isOver = false;
  // What the file is written with stays as it is. With both, each \r is a character of its line, and visible.
  const breakOf = (text: string) =>
    text.includes("\r\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n";
  const tabs = /^\t/m.test(options.text);
  const stateOf = (text: string) =>
    EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        indentUnit.of(tabs ? "\t" : "  "),
        EditorState.lineSeparator.of(breakOf(text)),
        keymap.of([
          {
            key: "Mod-s",
            run() {
              options.save();
              return true;
            },
          },
          indentWithTab,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({
          "aria-label": `Text of ${options.path}`,
          "aria-multiline": "true",
          tabindex: "0",
          autocapitalize: "off",
          autocorrect: "off",
          spellcheck: "false",
        }),
        language.of([]),
        fileEditorTheme,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.changed(update.state.sliceDoc());
        }),
      ],
    });
  const view = new EditorView({
    parent: options.parent,
    state: stateOf(options.text),
  });

  function highlight(): void {
    void languageOf(options.path)
      .then((parser) => {
        if (isOver || !parser) return;
        const effects = language.reconfigure(StreamLanguage.define(parser));
        view.dispatch({ effects });
      })
      // Without its colours a text is still a text.
      .catch(() => undefined);
  }
  highlight();

  return {
    setText(text) {
      const { scrollTop } = view.scrollDOM;
      view.setState(stateOf(text));
      view.scrollDOM.scrollTop = scrollTop;
      highlight();
    },
    focus: () => view.focus(),
    destroy() {
      isOver = true;
      view.destroy();
    },
  };
}
