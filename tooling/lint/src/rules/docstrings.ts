import type { Rule } from "eslint";
import type { Comment, Node } from "estree";

/** What of an export the rule looks at; the types of ESLint know no TypeScript. */
interface Declaration {
  type: string;
  id?: { name?: string } | null;
  key?: { type: string; name?: string; value?: unknown };
  computed?: boolean;
  accessibility?: string;
  declarations?: Declaration[];
  body?: { body?: Declaration[] };
}

/** Words that say nothing by themselves. */
const FILLERS = new Set(
  "a an and be by for from has have in is it its of on one s that the this to which with".split(
    " ",
  ),
);

/**
 * Requires a docstring for each export and for each member of an exported interface or class, with more in it than the
 * words of its name.
 */
export const docstrings: Rule.RuleModule = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: {
      missing:
        "Say in a docstring of “{{name}}” what it does, its unit or form, and when it fails.",
      filler:
        "The docstring of “{{name}}” repeats its name: say its unit, its form, or when it fails.",
    },
  },
  create(context) {
    const { sourceCode } = context;

    function check(node: Node, name: string, owner = ""): void {
      const comment = (sourceCode.getCommentsBefore(node) as Comment[]).at(-1);
      const isDocstring =
        comment?.type === "Block" && comment.value.startsWith("*");
      if (!isDocstring)
        context.report({
          loc: sourceCode.getFirstToken(node)!.loc,
          messageId: "missing",
          data: { name },
        });
      else if (hasOnly(wordsOf(`${name} ${owner}`), comment.value))
        context.report({
          loc: comment.loc!,
          messageId: "filler",
          data: { name },
        });
    }

    function checkMembers({ body, id }: Declaration): void {
      const names = new Set<string>();
      for (const member of body?.body ?? []) {
        const name = nameOf(member);
        // An overload is described by the first one. What other code cannot name is not for it.
        if (name === undefined || names.has(name)) continue;
        names.add(name);
        check(member as unknown as Node, name, id?.name);
      }
    }

    function checkExport(node: Rule.Node): void {
      const { declaration } = node as unknown as { declaration?: Declaration };
      if (!declaration) return;
      const { declarations: [first] = [declaration] } = declaration;
      check(node as Node, first?.id?.name ?? "default");
      if (/^(TSInterface|Class)Declaration$/.test(declaration.type))
        checkMembers(declaration);
    }

    return {
      ExportNamedDeclaration: checkExport,
      ExportDefaultDeclaration: checkExport,
    };
  },
};

/** The name of a member that other code can use; `undefined` for one that it cannot, or that is described by its class. */
function nameOf(member: Declaration): string | undefined {
  const { type, key, computed, accessibility } = member;
  if (type === "TSCallSignatureDeclaration") return "()";
  if (type === "TSIndexSignature") return "[]";
  const isHidden =
    computed ||
    accessibility === "private" ||
    key?.type === "PrivateIdentifier" ||
    key?.name === "constructor";
  return isHidden ? undefined : (key?.name ?? String(key?.value));
}

/** `sessionId` and `MAX_BYTES` as words in lower case, without the `s` of a plural. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? []
  ).map((word) => word.replace(/(?<=..)s$/, ""));
}

function hasOnly(known: readonly string[], docstring: string): boolean {
  return wordsOf(docstring).every(
    (word) => FILLERS.has(word) || known.includes(word),
  );
}
