/* Starts Swagger UI with exact digits, the reader's color scheme, and labels for screen readers. */

/** A string, a number, a literal name or a sign of JSON text. */
const token = /"(?:[^"\\]|\\.)*"|[-\d][\d.eE+-]*|[a-z]+|[{}[\],:]/g;
/** A number that a double may not hold has an exponent or at least 16 characters. */
const lossy = /\d[\d.]{15}|\d[eE]/;
/** Precedes the digits of a number that is stored as text; invisible where it remains. */
const mark = '\u2060';

/** Indents JSON text, one member per line. Numbers are copied, not parsed. */
function indented(text) {
  let depth = 0;
  let last = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  return text.replace(/\s*("(?:[^"\\]|\\.)*"|[-\d][\d.eE+-]*|[a-z]+|[{}[\],:])\s*/g, (_, part) => {
    const first = last === '{' || last === '[';
    const before = last;
    last = part;
    if (part === '}' || part === ']') {
      depth--;
      return first && '{['.includes(before) ? part : line() + part;
    }
    const lead = first || before === ',' ? line() : '';
    if (part === '{' || part === '[') depth++;
    return lead + (part === ':' ? ': ' : part);
  });
}

/** Turns numbers that a double may not hold into marked text, so that a JSON parser keeps their digits. */
function withMarks(text) {
  return text.replace(token, (part) => (part[0] !== '"' && lossy.test(part) ? `"${mark}${part}"` : part));
}

function withoutMarks(sample) {
  return typeof sample === 'string'
    ? sample.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1').replaceAll(mark, '')
    : sample;
}

function exactDigits() {
  return {
    wrapComponents: {
      responseBody: (Original, system) => (props) => {
        const { content, contentType = '' } = props;
        const { React } = system;
        if (typeof content !== 'string' || content === '' || !/json$/i.test(contentType.split(';')[0].trim()))
          return React.createElement(Original, props);
        const HighlightCode = system.getComponent('HighlightCode', true);
        const code = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true };
        return React.createElement(
          'div',
          null,
          React.createElement('h5', null, 'Response body'),
          React.createElement(HighlightCode, code, indented(content)),
        );
      },
      // A link inside the button that opens an operation could not be reached. The URL follows the open operation anyway.
      DeepLink:
        (_, { React }) =>
        ({ text }) =>
          React.createElement('span', null, text),
    },
    afterLoad(system) {
      const { getSampleSchema } = system.fn;
      system.fn.getSampleSchema = (...given) => withoutMarks(getSampleSchema(...given));
    },
  };
}

/** Labels for elements that Swagger UI leaves without one. */
const names = {
  '#servers': 'Server',
  '.examples-select-element': 'Example',
  'select:not([aria-label])': 'Value',
  'textarea:not([aria-label])': 'Request body',
  'input[type="file"]:not([aria-label])': 'Request body',
};

/** Swagger UI's headings begin at the second level and skip some. */
const levels = { 'h3.opblock-tag': '2', '.models > h4': '2', h4: '3', h5: '4' };

function makeReachable(page) {
  for (const [selector, name] of Object.entries(names)) {
    for (const element of page.querySelectorAll(selector)) element.setAttribute('aria-label', name);
  }
  for (const table of page.querySelectorAll('table[role="region"]')) table.removeAttribute('role');
  for (const code of page.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
  for (const [selector, level] of Object.entries(levels)) {
    for (const heading of page.querySelectorAll(selector)) heading.ariaLevel ??= level;
  }
  page.querySelector('.information-container')?.setAttribute('role', 'banner');
  const server = page.querySelector('.scheme-container');
  server?.setAttribute('role', 'region');
  server?.setAttribute('aria-label', 'Server');
}

const page = document.getElementById('swagger-ui');
let planned = false;
/** Once per frame, for all changes in it. */
function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    makeReachable(page);
  });
}
new MutationObserver(plan).observe(page, { childList: true, subtree: true });

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [exactDigits],
  requestInterceptor: (request) => {
    if (request.loadSpec !== true) return request;
    const responseInterceptor = (response) => ({ ...response, text: withMarks(response.text) });
    return { ...request, responseInterceptor };
  },
});
