/* For screen readers: Redoc's menu becomes a landmark, and its heading levels have no gaps. */
function makeReachable() {
  const menu = document.querySelector('.menu-content');
  menu?.setAttribute('role', 'navigation');
  menu?.setAttribute('aria-label', 'Operations');
  let last = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    last = Math.min(Number(heading.tagName[1]), last + 1);
    if (heading.ariaLevel !== String(last)) heading.ariaLevel = String(last);
  }
}

new MutationObserver(makeReachable).observe(document.body, { childList: true, subtree: true });
