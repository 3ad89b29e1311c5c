import { StateField, type Extension, type Range } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import { scanBody } from "../../src/language/scan-body.ts";

const asked = Decoration.mark({ class: "cm-snippet-asked" });
const standard = Decoration.mark({ class: "cm-snippet-standard" });
const reserved = Decoration.mark({ class: "cm-snippet-reserved" });

/** Marks the placeholders of a body, and underlines what is wrong in it, as it is typed. */
export function bodyMarks(): Extension {
  return StateField.define<DecorationSet>({
    create: (state) => mark(state.doc.toString()),
    update: (marks, { docChanged, newDoc }) =>
      docChanged ? mark(newDoc.toString()) : marks,
    provide: (field) => EditorView.decorations.from(field),
  });
}

function mark(body: string): DecorationSet {
  const { parts, problems } = scanBody(body);
  const ranges: Range<Decoration>[] = [];
  for (const part of parts) {
    if (part.kind === "text") continue;
    const isFilled = part.default !== null || part.optional;
    const look = part.reserved ? reserved : isFilled ? standard : asked;
    ranges.push(look.range(part.from, part.to));
  }
  for (const { from, to, message } of problems) {
    // Something that is missing has no length, and still needs a place.
    const end = Math.min(body.length, Math.max(to, from + 1));
    const start = Math.min(from, end - 1);
    if (start < 0) continue;
    ranges.push(
      Decoration.mark({
        class: "cm-snippet-problem",
        attributes: { title: message },
      }).range(start, end),
    );
  }
  return Decoration.set(ranges, true);
}
