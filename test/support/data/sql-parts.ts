/**
 * Finds what gets into SQL without quotes. A part of a template is right if it is quoted (`identifier`, `literal`), a constant or a number, or if it is made of
 * such parts alone. So a name is followed to where it is declared, a call to what the function returns, and a parameter to every call of the function.
 * Whatever cannot be followed is wrong.
 */
import { dirname, join } from 'node:path';
import { parse } from '@babel/parser';

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown };
/** A name, where it is declared, and where it is known. */
type Declared = { readonly file: SourceFile; readonly node: Node; readonly scope: Node };
type Place = { readonly file: SourceFile; readonly node: Node };

/** Words that a template of SQL has, and a message or JSON has not. */
const sqlWords =
  /\b(?:select|insert (?:or \w+ )?into|delete from|update (?:or \w+ )?\S+ set|create (?:unique )?(?:table|index|trigger|function)|alter (?:table|index|trigger)|drop (?:table|index|trigger|function|constraint|column)|references|lock table|comment on|values \(|collection in|json_\w+|case when)\b|->>?|::(?!new)\w/;

/** What these return is quoted, or a number. A predicate is made of such parts. */
const quoting = ['identifier', 'literal', 'Number', 'predicate'];
/** Types of values that are quoted, or need no quotes. */
const rightType = /^(?:readonly )?(?:Identifier|Literal|number|bigint|boolean)(?:\[\])?(?: \| undefined)?$/;

const listMethods = ['.map', '.flatMap', '.filter', '.from'];

export class Sources {
  readonly #files = new Map<string, SourceFile>();
  /** Those of `proven` that were met. */
  readonly used = new Set<string>();
  /** By the name of the function. */
  readonly #calls = new Map<string, Place[]>();

  /** `proven`: by their files, parts that are right though they cannot be followed. */
  constructor(
    texts: ReadonlyMap<string, string>,
    readonly proven: Readonly<Record<string, readonly string[]>>,
  ) {
    for (const [path, text] of texts) {
      const file = new SourceFile(path, text, this);
      this.#files.set(path, file);
      for (const node of file.calls) {
        const name = nameOfCall(node);
        this.#calls.set(name, [...(this.#calls.get(name) ?? []), { file, node }]);
      }
    }
  }

  /** Each wrong part, with its file. */
  wrongParts(): string[] {
    return [...this.#files].flatMap(([path, file]) => file.wrongParts().map((part) => `${path}: ${part}`));
  }

  file(path: string): SourceFile | undefined {
    return this.#files.get(path);
  }

  isProven(path: string, part: string): boolean {
    if (!this.proven[path]?.includes(part)) return false;
    this.used.add(`${path}: ${part}`);
    return true;
  }

  callsOf(name: string): readonly Place[] {
    return this.#calls.get(name) ?? [];
  }
}

class SourceFile {
  readonly calls: Node[] = [];
  readonly #declared = new Map<string, Declared[]>();
  readonly #imported = new Map<string, { readonly path: string; readonly name: string }>();
  readonly #templates: Node[] = [];
  /** Their parts are parameters. */
  readonly #tagged = new Set<unknown>();
  /** Their values change. */
  readonly #variable = new Set<Node>();
  /** The function of each parameter, and its name. */
  readonly #functions = new Map<Node, Of>();

  constructor(
    readonly path: string,
    readonly text: string,
    readonly sources: Sources,
  ) {
    const { program } = parse(text, { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] });
    walk(program, (node, outer) => this.#note(node, outer));
  }

  wrongParts(): string[] {
    return this.#templates
      .filter((node) => !this.#tagged.has(node) && this.#isSql(constantOf(node)))
      .flatMap((node) => (node.type === 'TemplateLiteral' ? (node.expressions as readonly Node[]) : [node]))
      .filter((part) => !this.isRight(part, []))
      .map((part) => this.textOf(part).replace(/\s+/g, ' '));
  }

  /** JSON has double quotes, too, but not where SQL is. */
  #isSql(text: string): boolean {
    return sqlWords.test(text) || text === "' _ '" || (text === '" _ "' && this.path.startsWith('src/storage/'));
  }

  textOf({ start, end }: Node): string {
    return this.text.slice(start, end);
  }

  #note(node: Node, outer: readonly Node[]): void {
    const around = outer.findLast(isScope) ?? node;
    const declare = (pattern: unknown, of: Node, scope: Node) => {
      for (const name of namesIn(pattern))
        this.#declared.set(name, [...(this.#declared.get(name) ?? []), { file: this, node: of, scope }]);
    };
    if (node.type === 'TemplateLiteral' || node.type === 'BinaryExpression') this.#templates.push(node);
    if (node.type === 'TaggedTemplateExpression') this.#tagged.add(node.quasi);
    if (isCall(node)) this.calls.push(node);
    if (node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration') declare(node.id, node, around);
    if (node.type === 'VariableDeclarator' && outer.at(-1)?.kind === 'let') this.#variable.add(node);
    if (isFunction(node))
      for (const [at, parameter] of (node.params as readonly Node[]).entries()) {
        declare(parameter, parameter, node);
        this.#functions.set(parameter, functionOf(node, outer.at(-1), at));
      }
    if (node.type !== 'ImportDeclaration') return;
    const path = join(dirname(this.path), String((node.source as Node).value));
    for (const { local, imported } of node.specifiers as { local: Node; imported?: Node }[])
      this.#imported.set(String(local.name), { path, name: String(imported?.name) });
  }

  /** What the name stands for at this place; in the whole file without one. */
  declarationOf(name: string, at?: Node): Declared | undefined {
    const known = (this.#declared.get(name) ?? []).filter(({ scope }) => at === undefined || isInside(at, scope));
    const [nearest] = known.sort((one, other) => sizeOf(one.scope) - sizeOf(other.scope));
    const { path, name: exported = '' } = this.#imported.get(name) ?? {};
    return nearest ?? (path === undefined ? undefined : this.sources.file(path)?.declarationOf(exported));
  }

  /** `seen` are declarations that are being followed. */
  isRight(node: Node, seen: readonly Node[]): boolean {
    const every = (...nodes: readonly unknown[]) => nodes.flat().every((one) => this.isRight(one as Node, seen));
    if (this.sources.isProven(this.path, this.textOf(node))) return true;
    switch (node.type) {
      case 'NumericLiteral':
      case 'BooleanLiteral':
      case 'StringLiteral':
        return true;
      case 'TemplateLiteral':
        return every(node.expressions);
      case 'ConditionalExpression':
        return every(node.consequent, node.alternate);
      case 'LogicalExpression':
        return every(node.left, node.right);
      case 'BinaryExpression':
        // Others make numbers and booleans.
        return node.operator !== '+' || every(node.left, node.right);
      case 'ArrayExpression':
        return every(node.elements);
      case 'SpreadElement':
        return every(node.argument);
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        return every(node.expression);
      case 'ArrowFunctionExpression':
      case 'FunctionDeclaration':
        return returnsOf(node).every((one) => this.isRight(one, seen));
      case 'Identifier':
        return this.#isRightName(node, seen);
      case 'MemberExpression':
        return nameOfMember(node) === 'length' || isOfType(this.textOf(node)) || this.#isRightMember(node, seen);
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#isRightCall(node, seen);
      default:
        return false;
    }
  }

  /** Of an object that is a constant. */
  #isRightMember({ object, ...member }: Node, seen: readonly Node[]): boolean {
    const { type, name } = object as Node;
    const { file, node } = type === 'Identifier' ? (this.declarationOf(String(name), object as Node) ?? {}) : {};
    const made = node?.type === 'VariableDeclarator' ? withoutType(node.init as Node) : undefined;
    if (made?.type !== 'ObjectExpression') return false;
    const found = (made.properties as readonly Node[]).find(
      ({ key }) => (key as Node | undefined)?.name === nameOfMember(member as Node),
    );
    return isNode(found?.value) && file?.isRight(found.value, seen) === true;
  }

  #isRightName(id: Node, seen: readonly Node[]): boolean {
    const name = String(id.name);
    const { file, node } = this.declarationOf(name, id) ?? {};
    if (file === undefined || node === undefined) return name === 'undefined';
    return seen.includes(node) || file.#isRightDeclaration(node, name, [...seen, node]);
  }

  #isRightDeclaration(node: Node, name: string, seen: readonly Node[]): boolean {
    if (node.type === 'FunctionDeclaration') return this.isRight(node, seen);
    if (node.type === 'AssignmentPattern')
      return this.isRight(node.right as Node, seen) && this.#isRightParameter(node, seen);
    const { id = node, init } = node as { readonly id?: Node; readonly init?: Node | null };
    if (isNode(id.typeAnnotation) && rightType.test(this.textOf(id.typeAnnotation).replace(/^: */, ''))) return true;
    if (node.type !== 'VariableDeclarator') return id.type === 'Identifier' && this.#isRightParameter(node, seen);
    if (!isNode(init) || this.#variable.has(node)) return false;
    if (id.type === 'Identifier') return this.isRight(init, seen) && this.#isRightList(node, name, seen);
    const at =
      id.type === 'ArrayPattern' ? (id.elements as unknown[]).findIndex((one) => namesIn(one).includes(name)) : -1;
    const element = init.type === 'ArrayExpression' ? (init.elements as readonly unknown[])[at] : undefined;
    return isNode(element) && this.isRight(element, seen);
  }

  /** What is added to a list later. */
  #isRightList(node: Node, name: string, seen: readonly Node[]): boolean {
    return this.calls
      .filter((call) => this.textOf(call.callee as Node) === `${name}.push`)
      .filter((call) => this.declarationOf(name, call)?.node === node)
      .every((call) => (call.arguments as readonly Node[]).every((one) => this.isRight(one, seen)));
  }

  /** Wherever the function is called, also by an object that has one of the same name. */
  #isRightParameter(node: Node, seen: readonly Node[]): boolean {
    const { name = '', at = 0, around, declared } = this.#functions.get(node) ?? {};
    // An element of a list, or its number.
    if (around !== undefined && isCall(around) && listMethods.includes(nameOfCall(around)))
      return at === 1 || (nameOfCall(around) !== '.from' && this.isRight((around.callee as Node).object as Node, seen));
    const given = this.sources
      .callsOf(name)
      .filter(({ file, node: call }) => declared === undefined || file.declarationOf(name, call)?.node === declared)
      .map(({ file, node: call }) => ({ file, node: (call.arguments as readonly unknown[])[at] }));
    return (
      given.length > 0 &&
      given.every(({ file, node: one }) => one === undefined || (isNode(one) && file.isRight(one, seen)))
    );
  }

  #isRightCall(node: Node, seen: readonly Node[]): boolean {
    const callee = node.callee as Node;
    const [how, made] = node.arguments as readonly Node[];
    if (quoting.includes(this.textOf(callee))) return true;
    if (this.textOf(callee) === 'String') return how !== undefined && this.isRight(how, seen);
    if (callee.type === 'Identifier') return this.#isRightName(callee, seen);
    const on = callee.object as Node;
    if (isOfType(this.textOf(callee))) {
      // It quotes the name of the member.
      const given = nameOfMember(callee) === 'fromJson' ? [how] : (node.arguments as readonly Node[]);
      return given.every((one) => one !== undefined && this.isRight(one, seen));
    }
    switch (nameOfMember(callee)) {
      case 'join':
      case 'filter':
      case 'slice':
        return this.isRight(on, seen);
      case 'fill':
        return how !== undefined && this.isRight(how, seen);
      case 'from':
        return this.textOf(on) === 'Array' && isNode(made) && this.isRight(made, seen);
      case 'map':
      case 'flatMap':
        return how !== undefined && (quoting.includes(this.textOf(how)) || this.isRight(how, seen));
      default:
        return this.textOf(on) === 'Math';
    }
  }
}

function constantOf(node: Node): string {
  if (node.type === 'TemplateLiteral')
    return (node.quasis as readonly { value: { raw: string } }[]).map(({ value }) => value.raw).join(' _ ');
  return [node.left as Node, node.right as Node]
    .map((one) => (one.type === 'StringLiteral' ? one.value : '_'))
    .join('');
}

/** Of the SQL of a field type, `field.postgres.select` for example: src/domain/types has it. */
function isOfType(text: string): boolean {
  return /\b(?:postgres|sqlite)\??\.\w+$/.test(text);
}

function withoutType(node: Node): Node {
  return /^TS(?:As|Satisfies)Expression$/.test(node.type) ? withoutType(node.expression as Node) : node;
}

function nameOfMember({ property, computed }: Node): string {
  return computed ? '' : String((property as Node).name);
}

/** With a dot if it is a method. */
function nameOfCall({ callee }: Node): string {
  const { type, name } = callee as Node;
  return type === 'Identifier'
    ? String(name)
    : /MemberExpression$/.test(type)
      ? `.${nameOfMember(callee as Node)}`
      : '';
}

/** Of a parameter: its place, and the function. `name` is as in a call; `declared` is undefined for a method. */
type Of = {
  readonly at: number;
  readonly around: Node | undefined;
  readonly name: string;
  readonly declared: Node | undefined;
};

function functionOf(node: Node, around: Node | undefined, at: number): Of {
  const isConstant = around?.type === 'VariableDeclarator';
  const declared = isConstant ? around : node.type === 'FunctionDeclaration' ? node : undefined;
  const named = declared?.id ?? node.key ?? (around?.type === 'ObjectProperty' ? around.key : undefined);
  const name = isNode(named) && named.type === 'Identifier' ? String(named.name) : '';
  return { at, around, declared, name: declared === undefined && name !== '' ? `.${name}` : name };
}

/** Without what functions inside of it return. */
function returnsOf({ body }: Node): readonly Node[] {
  if ((body as Node).type !== 'BlockStatement') return [body as Node];
  const found: Node[] = [];
  walk(body, (node, outer) => {
    const isOwn = !outer.some(isFunction);
    if (node.type === 'ReturnStatement' && isOwn && isNode(node.argument)) found.push(node.argument);
  });
  return found;
}

function namesIn(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [String(pattern.name)];
  return [pattern.left, pattern.argument, pattern.value, pattern.elements, pattern.properties].flat().flatMap(namesIn);
}

function isFunction({ type }: Node): boolean {
  return /Function|Method$/.test(type) && !type.startsWith('TS');
}

function isCall({ type }: Node): boolean {
  return type === 'CallExpression' || type === 'OptionalCallExpression';
}

function isScope({ type }: Node): boolean {
  return /^(?:Program|BlockStatement|For\w*Statement)$/.test(type);
}

function isInside(one: Node, other: Node): boolean {
  return other.start <= one.start && one.end <= other.end;
}

function sizeOf({ start, end }: Node): number {
  return end - start;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function walk(value: unknown, visit: (node: Node, outer: readonly Node[]) => void, outer: Node[] = []): void {
  if (Array.isArray(value)) for (const one of value) walk(one, visit, outer);
  if (!isNode(value)) return;
  visit(value, outer);
  outer.push(value);
  for (const child of Object.values(value)) if (typeof child === 'object') walk(child, visit, outer);
  outer.pop();
}
