import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { Annotation, EditorState } from "@codemirror/state";
import {
  EditorView,
  highlightSpecialChars,
  keymap,
  placeholder,
} from "@codemirror/view";
import { bodyMarks } from "./bodyMarks.ts";
import { editorTheme } from "./editorTheme.ts";

/** What an editor of a body is made with. */
export interface CodeEditorOptions {
  parent: HTMLElement;
  text: string;
  /** Name of the field, for people who hear the page. */
  label: string;
  /** Shown while there is nothing. */
  hint: string;
  changed: (text: string) => void;
}

/** An editor of a body. Its module is large, so it is loaded when it is needed. */
export interface CodeEditor {
  /** Shows another text. Only what differs is replaced, so that the cursor stays and each step can be undone. */
  setText(text: string): void;
  /** Tells people who hear the page that something is wrong, and where it is said. */
  setProblem(describedBy: string | undefined): void;
  /** Puts the cursor at a place and shows it. */
  select(from: number, to: number): void;
  focus(): void;
  destroy(): void;
}

/** A change that came from outside needs not be told again. */
const fromOutside = Annotation.define<true>();

/** Makes an editor of a body inside an element. */
export function createCodeEditor(options: CodeEditorOptions): CodeEditor {
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        history(),
        // Tab is left to the browser, so that keyboard users can leave the editor.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": options.label,
          autocapitalize: "sentences",
          spellcheck: "true",
        }),
        // What cannot be seen, such as a character that turns the direction of the text, is shown.
        highlightSpecialChars(),
        placeholder(options.hint),
        bodyMarks(),
        editorTheme,
        EditorView.updateListener.of((update) => {
          const isOwn = update.transactions.some(
            (transaction) => transaction.annotation(fromOutside) === undefined,
          );
          if (update.docChanged && isOwn)
            options.changed(update.state.doc.toString());
        }),
      ],
    }),
  });

  return {
    setText(text) {
      const before = view.state.doc.toString();
      // Line breaks of other systems are one character in the editor.
      const after = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
      if (before === after) return;
      view.dispatch({
        changes: difference(before, after),
        annotations: fromOutside.of(true),
      });
    },
    setProblem(describedBy) {
      const { contentDOM } = view;
      if (describedBy === undefined) {
        contentDOM.removeAttribute("aria-invalid");
        contentDOM.removeAttribute("aria-describedby");
        return;
      }
      contentDOM.setAttribute("aria-invalid", "true");
      contentDOM.setAttribute("aria-describedby", describedBy);
    },
    select(from, to) {
      const most = view.state.doc.length;
      view.dispatch({
        selection: { anchor: Math.min(from, most), head: Math.min(to, most) },
        scrollIntoView: true,
      });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** The one replacement that makes `after` of `before`. */
function difference(
  before: string,
  after: string,
): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < most - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  return {
    from: start,
    to: before.length - end,
    insert: after.slice(start, after.length - end),
  };
}
