(defsystem "brisk"
  :description "Large file trees, as fast as the kernel and the storage allow"
  :version "0.1.0"
  :license "MIT OR Apache-2.0"
  :depends-on ("cffi")
  :serial t
  :components ((:file "package")
               (:file "library")
               (:file "calls")
               (:file "paths")
               (:file "conditions")
               (:file "walk")
               (:file "trees"))
  :in-order-to ((test-op (test-op "brisk/tests"))))

(defsystem "brisk/tests"
  :depends-on ("brisk" "fiveam")
  :serial t
  :components ((:file "example/generator")
               (:file "tests"))
  :perform (test-op (operation system)
             (unless (uiop:symbol-call :fiveam :run! :brisk)
               (error "The tests of brisk have failed."))))
