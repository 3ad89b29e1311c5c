import type { Rule } from "eslint";
import type { Comment } from "estree";

/** Shorter than this is no reason. */
const MIN_LENGTH = 10;
const DIRECTIVE = /^\s*eslint-disable/;

/** What steps outside the rules says why: `any` on its line, and a rule switched off after two dashes. */
export const reasons: Rule.RuleModule = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: {
      any: "Say on this line why it must be `any`; where input comes in, `unknown` and a schema do better.",
      disable: "Say after two dashes why the rule is switched off here.",
    },
  },
  create(context) {
    const comments = context.sourceCode.getAllComments() as Comment[];
    const explained = new Set(
      comments
        .filter(
          ({ value }) =>
            !DIRECTIVE.test(value) && value.trim().length >= MIN_LENGTH,
        )
        .map(({ loc }) => loc!.start.line),
    );
    return {
      Program() {
        for (const comment of comments) {
          if (!DIRECTIVE.test(comment.value)) continue;
          const reason = /--([\s\S]*)$/.exec(comment.value)?.[1] ?? "";
          if (reason.trim().length < MIN_LENGTH) {
            context.report({ loc: comment.loc!, messageId: "disable" });
          }
        }
      },
      TSAnyKeyword(node: Rule.Node) {
        if (!explained.has(node.loc!.end.line))
          context.report({ node, messageId: "any" });
      },
    };
  },
};
