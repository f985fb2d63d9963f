"""Pages: routes, HTML, and the middleware of all requests.

`routing` registers routes and gives functions the services that they name; `templating` renders the templates.
The page of a table takes four modules: `table` has its routes, `table_page` its contents, `table_layout` the places of
panels, and `table_renderer` the HTML.
"""
