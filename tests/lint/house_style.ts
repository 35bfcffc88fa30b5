/// <reference lib="deno.unstable" />
/**
 * House rules that the linter does not know; `deno lint` loads this file as a plugin.
 * @module
 */

import { worldInAdapters } from "./world_in_adapters.ts";

/** No `as unknown as`: it says anything is anything. */
const noDoubleAssertion: Deno.lint.Rule = {
  create(context) {
    return {
      TSAsExpression(node) {
        if (node.expression.type !== "TSAsExpression") return;
        context.report({
          node,
          message: "Two assertions in a row switch the type checker off",
          hint: "Parse the value, or narrow it",
        });
      },
    };
  },
};

/** Top-level functions use the keyword; a constant with a written type may be an arrow. */
const functionKeyword: Deno.lint.Rule = {
  create(context) {
    const check = ({ id, init }: Deno.lint.VariableDeclarator) => {
      const isFunction = init?.type === "ArrowFunctionExpression" ||
        init?.type === "FunctionExpression";
      if (!isFunction || (id.type === "Identifier" && id.typeAnnotation !== undefined)) return;
      context.report({ node: id, message: "Top-level functions use the function keyword" });
    };
    return {
      "Program > VariableDeclaration > VariableDeclarator": check,
      "Program > ExportNamedDeclaration > VariableDeclaration > VariableDeclarator": check,
    };
  },
};

/** Every export has one name, everywhere. */
const namedExports: Deno.lint.Rule = {
  create(context) {
    if (isIn(context, "tests/lint/")) return {}; // a plugin is its file's default export
    return {
      ExportDefaultDeclaration(node) {
        context.report({ node, message: "Exports have names" });
      },
    };
  },
};

/** Members are private by `#`, which holds at run time; the keyword is for constructors. */
const hashPrivate: Deno.lint.Rule = {
  create(context) {
    const check = (node: Deno.lint.MethodDefinition | Deno.lint.PropertyDefinition) => {
      if (node.accessibility === undefined || node.accessibility === "protected") return;
      if (node.type === "MethodDefinition" && node.kind === "constructor") return;
      context.report({ node, message: `"${node.accessibility}" is not how a member is written` });
    };
    return { MethodDefinition: check, PropertyDefinition: check };
  },
};

/** Who catches an error of the program has something to tell it by. */
const namedErrors: Deno.lint.Rule = {
  create(context) {
    if (isIn(context, "tests/", "bench/", ".ci/")) return {};
    return {
      "ThrowStatement > NewExpression[callee.name='Error']"(node: Deno.lint.NewExpression) {
        context.report({
          node,
          message: "A plain Error says nothing to the code that catches it",
          hint: "Throw a GatewayError, TypeError, RangeError or SyntaxError",
        });
      },
    };
  },
};

/** A URL escapes what a folder's name may hold: its path is no file for one in `My Projects`. */
const fileOfUrl: Deno.lint.Rule = {
  create(context) {
    return {
      "MemberExpression[property.name='pathname'] > NewExpression[callee.name='URL']"(
        node: Deno.lint.NewExpression,
      ) {
        if (!context.sourceCode.getText(node).includes("import.meta.url")) return;
        context.report({
          node,
          message: "The path of a URL is no path of a file",
          hint: "Use fileURLToPath of node:url",
        });
      },
    };
  },
};

/** Nothing switches a check off, and no test is singled out or left out for good. */
const noLoosening: Deno.lint.Rule = {
  create(context) {
    const message = "A check is switched off here";
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (!/^\W*(deno-lint-ignore|deno-fmt-ignore|@ts-(?!types=))/.test(comment.value)) {
            continue;
          }
          context.report({ range: comment.range, message });
        }
      },
      "MemberExpression[object.object.name='Deno'][object.property.name='test']"(
        node: Deno.lint.MemberExpression,
      ) {
        const { property } = node;
        if (property.type !== "Identifier") return;
        if (["only", "ignore"].includes(property.name)) context.report({ node, message });
      },
      "Property[key.name=/^(only|ignore)$/][value.value=true]"(node: Deno.lint.Property) {
        context.report({ node, message });
      },
    };
  },
};

function isIn({ filename }: Deno.lint.RuleContext, ...folders: readonly string[]): boolean {
  return folders.some((folder) => filename.includes(`/${folder}`));
}

const plugin: Deno.lint.Plugin = {
  name: "house",
  rules: {
    "no-double-assertion": noDoubleAssertion,
    "function-keyword": functionKeyword,
    "named-exports": namedExports,
    "hash-private": hashPrivate,
    "named-errors": namedErrors,
    "file-of-url": fileOfUrl,
    "no-loosening": noLoosening,
    "world-in-adapters": worldInAdapters,
  },
};

export default plugin;
