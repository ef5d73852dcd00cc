;;;; Errors of libbrisk as conditions, and the restarts SKIP and STOP.

(in-package :brisk)

(define-condition brisk-error (error)
  ((operation :initarg :operation :reader brisk-error-operation
              :documentation "What failed, such as \"open\" or \"stat\".")
   (path :initarg :path :reader brisk-error-path)
   (errno :initarg :errno :reader brisk-error-errno)
   (text :initarg :text :reader brisk-error-text))
  (:report (lambda (condition stream)
             (write-string (brisk-error-text condition) stream)))
  (:documentation "Something failed on a path, or an argument was wrong."))

(defun condition-of (pointer)
  "The condition for an error of libbrisk."
  (make-condition 'brisk-error
                  :operation (brisk-error-operation* pointer)
                  :path (from-c (brisk-error-path* pointer))
                  :errno (brisk-error-errno* pointer)
                  :text (brisk-error-text* pointer)))

(defun taken (pointer)
  "As CONDITION-OF, and frees the error. NIL if there is none."
  (unless (cffi:null-pointer-p pointer)
    (prog1 (condition-of pointer)
      (brisk-error-free pointer))))

(defmacro with-error ((place) call)
  "Makes a call whose last argument is PLACE, and signals the error that it leaves there. Interrupts
are put off during the call."
  (let ((result (gensym)) (condition (gensym)))
    `(cffi:with-foreign-object (,place :pointer)
       (setf (cffi:mem-ref ,place :pointer) (cffi:null-pointer))
       (let* ((,result nil)
              (,condition (uninterrupted
                            (setf ,result ,call)
                            (taken (cffi:mem-ref ,place :pointer)))))
         (when ,condition
           (error ,condition))
         ,result))))

(defun signal-each (conditions)
  "Signals errors on single entries. The restart SKIP goes on with the next; STOP ends this, and
returns false."
  (dolist (condition conditions t)
    (restart-case (error condition)
      (skip ()
        :report "Go on without this entry.")
      (stop ()
        :report "Go no further."
        (return nil)))))

(defun skip (&optional condition)
  "Invokes the restart SKIP."
  (let ((restart (find-restart 'skip condition)))
    (when restart (invoke-restart restart))))

(defun stop (&optional condition)
  "Invokes the restart STOP."
  (let ((restart (find-restart 'stop condition)))
    (when restart (invoke-restart restart))))
