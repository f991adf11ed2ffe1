(function () {
  try {
    var theme = localStorage.getItem('currawong.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's theme holds.
  }
})();
