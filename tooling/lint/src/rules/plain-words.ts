import type { Rule } from "eslint";
import type { Comment } from "estree";
import { NAMES, PHRASES, type Wording } from "../plain-words.ts";

/** Between the words of a phrase: a space, or the end of a comment's line and the beginning of its next. */
const GAP = "[\\s*/]+";
const DECLARED = "(?:const|let|function|class|interface|type)\\s+";

/** All phrases in one expression: a file without any of them costs one search through its text. */
const ANY_PHRASE = new RegExp(
  `(?<![\\w-])(?:${PHRASES.map(toSource).join("|")})(?![\\w-])`,
  "gi",
);
const ANY_NAME = new RegExp(
  `(?<=\\b${DECLARED})(?:${NAMES.map(toSource).join("|")})\\b`,
  "g",
);

/** Refuses phrases that are hard to read in comments, in texts and in templates, and names that house rules exclude. */
export const plainWords: Rule.RuleModule = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: { wording: "“{{found}}” is not plain: write {{instead}}." },
  },
  create(context) {
    const { sourceCode } = context;
    const { text } = sourceCode;
    let comments: Comment[] | undefined;
    const isComment = (index: number): boolean => {
      comments ??= sourceCode.getAllComments() as Comment[];
      return comments.some(({ range }) => isWithin(range!, index));
    };
    const isTemplate = (index: number): boolean => {
      const { templateBody } = sourceCode.ast as {
        templateBody?: { range: [number, number] };
      };
      return templateBody != null && isWithin(templateBody.range, index);
    };
    /** Text with a space in it is for people; keys, paths and codes have none. */
    const isText = (index: number): boolean => {
      const node = sourceCode.getNodeByRangeIndex(index);
      if (node?.type === "TemplateElement") return /\s/.test(node.value.raw);
      return (
        node?.type === "Literal" &&
        typeof node.value === "string" &&
        /\s/.test(node.value)
      );
    };
    const report = (
      { 0: found, index }: RegExpExecArray,
      list: readonly Wording[],
      flags: string,
    ): void => {
      const wording = list.find((each) =>
        new RegExp(`^(?:${toSource(each)})$`, flags).test(found),
      );
      context.report({
        loc: {
          start: sourceCode.getLocFromIndex(index),
          end: sourceCode.getLocFromIndex(index + found.length),
        },
        messageId: "wording",
        data: {
          found: found.replaceAll(new RegExp(GAP, "g"), " "),
          instead: wording?.instead ?? "plain words",
        },
      });
    };
    return {
      "Program:exit"() {
        for (const match of text.matchAll(ANY_PHRASE)) {
          const { index } = match;
          if (isComment(index) || isTemplate(index) || isText(index))
            report(match, PHRASES, "i");
        }
        for (const match of text.matchAll(ANY_NAME)) {
          const { index } = match;
          if (!isComment(index) && !isText(index)) report(match, NAMES, "");
        }
      },
    };
  },
};

function toSource({ phrase }: Wording): string {
  return phrase.source.replaceAll(" ", GAP);
}

function isWithin([start, end]: [number, number], index: number): boolean {
  return start <= index && index < end;
}
